// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/page_arguments.h"

#include "engine/plan/option_reading.h"
#include "ui/pages/page_list.h"

#include <algorithm>

namespace shardscope {

namespace {

bool takes(const PageInfo &page, std::string_view option)
{
    if (!page.options)
        return false;
    const std::vector<ModelOption> options = page.options();
    return std::ranges::find(options, option, &ModelOption::name) != options.end();
}

const PageInfo *exportedPage(const Arguments &arguments)
{
    const std::optional<PageId> id = pageOf(arguments.picture.view);
    return arguments.mode == Arguments::Mode::Export && id ? &pageInfo(*id) : nullptr;
}

QString dashed(std::string_view option)
{
    return QStringLiteral("--") + QString::fromUtf8(option.data(), static_cast<qsizetype>(option.size()));
}

} // namespace

bool exportsPageWithSettings(const Arguments &arguments)
{
    const PageInfo *page = exportedPage(arguments);
    return page && page->options;
}

bool isOptionOfPages(const QString &option)
{
    return std::ranges::any_of(pageList(), [&](const PageInfo &page) { return takes(page, option.toStdString()); });
}

QString onlyWithPages(const QString &option)
{
    QStringList exports;
    for (const PageInfo &page : pageList()) {
        if (takes(page, option.toStdString()))
            exports << QStringLiteral("--export ") + pictureViewName(viewOf(page.id));
    }
    return QStringLiteral("--%1: allowed with %2 only").arg(option, exports.join(QStringLiteral(" and ")));
}

QString takePageSettings(Arguments &arguments, const OptionValues &given)
{
    const PageInfo &page = *exportedPage(arguments);
    const QString view = pictureViewName(arguments.picture.view);
    if (!arguments.file.isEmpty())
        return QStringLiteral("%1: --export %2 shows no run; allowed: its own options").arg(arguments.file, view);
    for (const auto &[option, value] : given) {
        if (takes(page, option))
            continue;
        QStringList allowed;
        for (const ModelOption &own : page.options())
            allowed << dashed(own.name);
        return QStringLiteral("--%1: not an option of --export %2; allowed: %3")
            .arg(QString::fromStdString(option), view, allowed.join(QStringLiteral(", ")));
    }
    arguments.page = given;
    if (!arguments.hardware.isEmpty())
        arguments.page["hardware"] = arguments.hardware.toStdString();
    return page.problem(arguments.page);
}

QString helpLine(std::string_view name, std::string_view meaning, const std::vector<std::string> &values,
                 std::string_view defaultText)
{
    std::string text(meaning);
    if (!values.empty())
        text += ": " + commaList(values);
    const QString option = QStringLiteral("  ") + dashed(name);
    return option.leftJustified(25) + QString::fromStdString(text) +
           QStringLiteral(" [%1]\n").arg(QString::fromStdString(std::string(defaultText)));
}

QString helpOfPages()
{
    QString text;
    for (const PageInfo &page : pageList()) {
        if (!page.options)
            continue;
        text += QStringLiteral("\nInstead of them with --export %1:\n").arg(pictureViewName(viewOf(page.id)));
        for (const ModelOption &option : page.options())
            text += helpLine(option.name, option.meaning, option.values, option.defaultText);
    }
    return text;
}

} // namespace shardscope
