// SPDX-License-Identifier: MIT
#include "engine/cli/model_document.h"
#include "engine/cli/model_options.h"
#include "engine/cli/output.h"
#include "engine/cli/text_table.h"
#include "engine/record/format.h"

namespace shardscope::cli {
namespace {

std::string table(const Console &console)
{
    TextTable table({{.title = "name"},
                     {.title = "model", .importance = 5},
                     {.title = "parameters", .right = true},
                     {.title = "layers", .right = true},
                     {.title = "h", .right = true},
                     {.title = "f", .right = true},
                     {.title = "heads", .right = true},
                     {.title = "KV heads", .right = true},
                     {.title = "V", .right = true, .importance = 4},
                     {.title = "tokens", .right = true, .importance = 3},
                     {.title = "MLP", .importance = 2},
                     {.title = "norm", .importance = 1}});
    for (const Model &m : modelPresets()) {
        table.add({m.name, m.title, fixedDecimals(static_cast<double>(parametersOf(m).total) / 1e9, 2) + "e9",
                   std::to_string(m.layers), std::to_string(m.hidden), std::to_string(m.ffn), std::to_string(m.heads),
                   std::to_string(m.kvHeads), std::to_string(m.vocabulary), std::to_string(m.sequence),
                   m.mlp == MlpKind::Swiglu ? "SwiGLU" : "GELU",
                   m.norm == NormKind::RmsNorm ? "RMSNorm" : "LayerNorm"});
    }
    return table.text(console) + "\nparameters are counted exactly; their number and every source stands in --format "
                                 "json\n";
}

} // namespace

int listModels(const Arguments &arguments)
{
    for (const auto &[option, value] : arguments.own) {
        if (option != "model")
            throw badArgument("--" + option + ": --model list takes no other option");
    }
    Output output(arguments.output);
    if (arguments.format == Format::Json) {
        Json list = Json::array();
        for (const Model &model : modelPresets())
            list.push_back(modelDocument(model));
        output.write(dumped(list));
    } else {
        output.writeText(table(output.console()));
    }
    output.commit();
    return kDone;
}

} // namespace shardscope::cli
