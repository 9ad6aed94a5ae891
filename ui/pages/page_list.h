// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/model_options.h"
#include "ui/pages/page_id.h"

#include <QString>
#include <vector>

namespace shardscope {

class Page;

/// One entry of the switch in the header: named, explained and built by the same row.
struct PageInfo {
    PageId id = PageId::Workbench;
    const char *title = "";   ///< to be translated
    const char *tooltip = ""; ///< to be translated
    bool ofTheLayer = true;   ///< about the layer of the workbench: its status and Run belong beside it
    Page *(*build)() = nullptr;
    /// Of a page with settings of its own: its options, and why given ones cannot be shown; empty when they can.
    std::vector<ModelOption> (*options)() = nullptr;
    QString (*problem)(const OptionValues &given) = nullptr;
};

/// The pages of this version, the workbench first; it alone is not built here.
[[nodiscard]] const std::vector<PageInfo> &pageList();
[[nodiscard]] const PageInfo &pageInfo(PageId id);
[[nodiscard]] QString pageTitle(const PageInfo &page);
[[nodiscard]] QString pageTooltip(const PageInfo &page);
/// The keys that show the page at that place of the list: "Alt+1" to "Alt+9", "Alt+0", then "Alt+Shift+1".
[[nodiscard]] QString pageKeys(qsizetype place);

} // namespace shardscope
