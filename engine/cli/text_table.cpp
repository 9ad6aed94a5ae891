// SPDX-License-Identifier: MIT
#include "engine/cli/text_table.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

constexpr std::size_t kGap = 2;

std::string padded(const std::string &cell, std::size_t width, bool right)
{
    const std::size_t columns = columnsOf(cell);
    const std::string fill(width > columns ? width - columns : 0, ' ');
    return right ? fill + cell : cell + fill;
}

void trimEnd(std::string &line)
{
    line.erase(line.find_last_not_of(' ') + 1);
}

} // namespace

std::size_t columnsOf(std::string_view text)
{
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\033') {
            i = std::min(text.find('m', i), text.size());
            continue;
        }
        const bool continuation = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
        columns += continuation ? 0 : 1;
    }
    return columns;
}

std::vector<std::size_t> TextTable::widths() const
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        std::size_t width = columnsOf(m_columns[i].title);
        for (const auto &row : m_rows)
            width = std::max(width, columnsOf(row[i]));
        widths.push_back(width);
    }
    return widths;
}

std::vector<bool> TextTable::shown(const std::vector<std::size_t> &widths, int room) const
{
    std::vector<bool> shown(m_columns.size(), true);
    while (room > 0) {
        std::size_t total = 0;
        std::size_t least = m_columns.size();
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            if (!shown[i])
                continue;
            total += widths[i] + kGap;
            const bool less = least == m_columns.size() || m_columns[i].importance <= m_columns[least].importance;
            if (m_columns[i].importance < 9 && less)
                least = i;
        }
        if (total <= static_cast<std::size_t>(room) + kGap || least == m_columns.size())
            break;
        shown[least] = false;
    }
    return shown;
}

std::string TextTable::text(const Console &console, int indent) const
{
    const std::vector<std::size_t> columnWidths = widths();
    const std::vector<bool> visible = shown(columnWidths, console.width > 0 ? console.width - indent : 0);
    std::vector<std::string> titles;
    for (const Column &column : m_columns)
        titles.push_back(column.title);
    std::string all;
    const auto addLine = [&](const std::vector<std::string> &cells, bool heading) {
        std::string line(static_cast<std::size_t>(indent), ' ');
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!visible[i])
                continue;
            line += padded(cells[i], columnWidths[i], m_columns[i].right) + std::string(kGap, ' ');
        }
        trimEnd(line);
        all += (heading ? console.dim(line) : line) + '\n';
    };
    addLine(titles, true);
    for (const auto &row : m_rows)
        addLine(row, false);
    return all;
}

} // namespace shardscope::cli
