// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/remote/host_name.h"

#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

const QLatin1String kScheme("ssh://");

/// [USER@]HOST[:PORT] without the scheme that ssh allows before it.
QString withoutScheme(const QString &address)
{
    return address.startsWith(kScheme) ? address.mid(kScheme.size()) : address;
}

} // namespace

QString hostProblem(const QString &address)
{
    const QString allowed =
        tr("allowed: [USER@]HOST, a name or address that ssh knows, without blanks, not beginning with '-'");
    const auto problem = [&](const QString &why) {
        return QStringLiteral("'%1': %2; %3").arg(address.simplified(), why, allowed);
    };
    if (address.isEmpty())
        return problem(tr("no host is named"));
    const auto isBad = [](QChar letter) { return letter.isSpace() || !letter.isPrint(); };
    if (std::ranges::any_of(address, isBad))
        return problem(tr("it has blanks or control characters"));
    // In a configuration of ssh a host's name may reach a shell.
    const QString special = QStringLiteral("'\"`$\\;&<>|(){}*?!#");
    if (std::ranges::any_of(address, [&](QChar letter) { return special.contains(letter); }))
        return problem(tr("it has characters that mean something to a shell"));
    // ssh would take it for an option: a file of hosts could start programs with it.
    const QString rest = withoutScheme(address);
    if (address.startsWith(QLatin1Char('-')) || rest.startsWith(QLatin1Char('-')) ||
        hostName(address).startsWith(QLatin1Char('-')))
        return problem(tr("it begins with '-'"));
    if (hostName(address).isEmpty() || rest.startsWith(QLatin1Char('@')))
        return problem(tr("user or host is empty"));
    return {};
}

QString hostName(const QString &address)
{
    const QString host = withoutScheme(address).section(QLatin1Char('@'), -1);
    if (!address.startsWith(kScheme))
        return host;
    // Only there is a port: "ssh://[fe80::1]:2222", "ssh://gpu1:2222".
    if (host.startsWith(QLatin1Char('[')))
        return host.mid(1).section(QLatin1Char(']'), 0, 0);
    return host.section(QLatin1Char(':'), 0, 0).section(QLatin1Char('/'), 0, 0);
}

} // namespace shardscope
