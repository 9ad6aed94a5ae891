// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

namespace shardscope {

/// The text in the window's language, for code outside of QObjects. lupdate files such texts under their namespace.
[[nodiscard]] inline QString tr(const char *text)
{
    return QCoreApplication::translate("shardscope", text);
}

} // namespace shardscope
