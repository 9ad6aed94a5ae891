// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/console.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::cli {

/// Columns that a UTF-8 text takes: code points, escape sequences not counted.
[[nodiscard]] std::size_t columnsOf(std::string_view text);

/// An aligned table. In a terminal that is too narrow the least important columns are left out.
class TextTable
{
public:
    struct Column {
        std::string title;
        bool right = false;
        int importance = 9; ///< columns with the smallest leave first; 9 stays
    };

    explicit TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) {}
    void add(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    /// Lines that begin with `indent` blanks and end with '\n'.
    [[nodiscard]] std::string text(const Console &console, int indent = 2) const;

private:
    [[nodiscard]] std::vector<std::size_t> widths() const;
    [[nodiscard]] std::vector<bool> shown(const std::vector<std::size_t> &widths, int room) const;

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace shardscope::cli
