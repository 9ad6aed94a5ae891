// SPDX-License-Identifier: MIT
#include "engine/cli/selftest.h"

#include "engine/cli/points.h"

#include <array>

namespace shardscope::cli {
namespace {

constexpr std::array kRanks{"1", "2", "3", "4"};

struct Variant {
    std::string title;
    OptionValues options;
    std::vector<std::string> phases{"training", "prefill", "decode"};
};

std::vector<Variant> variants()
{
    return {
        {"column", {{"scheme", "column"}}},
        {"column, gather-output", {{"scheme", "column"}, {"gather-output", "on"}}},
        {"column, no input-gradient", {{"scheme", "column"}, {"input-gradient", "off"}}, {"training"}},
        {"row", {{"scheme", "row"}}},
        {"row, input whole", {{"scheme", "row"}, {"input-parallel", "off"}}},
        {"mlp, gelu", {{"scheme", "mlp"}}},
        {"mlp, gelu, no bias", {{"scheme", "mlp"}, {"bias", "off"}}},
        {"mlp, swiglu", {{"scheme", "mlp"}, {"mlp", "swiglu"}}},
    };
}

/// Divisible by 2, 3 and 4, and small enough that hundreds of runs take seconds.
OptionValues smallLayer()
{
    return {{"hidden", "48"}, {"ffn", "96"}, {"batch", "2"}, {"sequence", "6"}, {"steps", "1"}, {"warmup", "0"}};
}

SelftestCase makeCase(const std::string &title, OptionValues options)
{
    options.merge(smallLayer());
    return {title, readPoint(options)};
}

void addEverything(std::vector<SelftestCase> &cases, const std::string &ranks)
{
    for (const Variant &variant : variants()) {
        for (const std::string &phase : variant.phases) {
            for (const char *dtype : {"f32", "f64", "bf16", "f16"}) {
                OptionValues options = variant.options;
                options.insert({{"phase", phase}, {"dtype", dtype}, {"ranks", ranks}});
                cases.push_back(makeCase(variant.title, std::move(options)));
            }
        }
    }
}

void addAlgorithms(std::vector<SelftestCase> &cases, const std::string &ranks)
{
    for (const char *algorithm : {"ring", "direct", "tree", "halving-doubling"}) {
        const bool allowed = std::string(algorithm) != "halving-doubling" || ranks != "3";
        if (allowed) {
            cases.push_back(makeCase("mlp, " + std::string(algorithm),
                                     {{"scheme", "mlp"}, {"algorithm", algorithm}, {"ranks", ranks}}));
        }
    }
}

void addBugs(std::vector<SelftestCase> &cases, const std::string &ranks)
{
    for (const char *bug : {"bug:row-bias-each-rank", "bug:all-reduce-columns"}) {
        cases.push_back(makeCase(std::string(bug) + " is caught", {{"scheme", bug}, {"ranks", ranks}}));
        cases.back().mustFail = true;
    }
}

} // namespace

std::vector<SelftestCase> selftestCases()
{
    std::vector<SelftestCase> cases;
    for (const char *ranks : kRanks) {
        addEverything(cases, ranks);
        if (std::string(ranks) != "1") {
            addAlgorithms(cases, ranks);
            addBugs(cases, ranks);
        }
    }
    return cases;
}

} // namespace shardscope::cli
