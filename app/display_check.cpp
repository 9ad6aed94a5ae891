// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display_check.h"

#include <QLibrary>
#include <QtGlobal>

namespace shardscope {

namespace {

/// Whether the X server answers; asked through libxcb, which Qt's own plugin needs as well.
bool xServerAnswers()
{
    using Connect = void *(*)(const char *, int *);
    using HasError = int (*)(void *);
    using Disconnect = void (*)(void *);
    QLibrary xcb(QStringLiteral("xcb"), 1);
    const auto connect = reinterpret_cast<Connect>(xcb.resolve("xcb_connect"));
    const auto hasError = reinterpret_cast<HasError>(xcb.resolve("xcb_connection_has_error"));
    const auto disconnect = reinterpret_cast<Disconnect>(xcb.resolve("xcb_disconnect"));
    if (!connect || !hasError || !disconnect)
        return false;
    void *connection = connect(nullptr, nullptr);
    const bool answers = hasError(connection) == 0;
    disconnect(connection);
    return answers;
}

} // namespace

QString displayProblem()
{
#ifdef Q_OS_LINUX
    if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        return {};
    const QString remedy =
        QStringLiteral("; start it on a desktop, export pictures with --export, or use shardscope-engine");
    if (qEnvironmentVariableIsEmpty("DISPLAY"))
        return QStringLiteral("no display: neither DISPLAY nor WAYLAND_DISPLAY is set") + remedy;
    if (!xServerAnswers())
        return QStringLiteral("no display: %1 does not answer").arg(qEnvironmentVariable("DISPLAY")) + remedy;
#endif
    return {};
}

} // namespace shardscope
