// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/remote/ssh_question.h"

#include <QRegularExpression>

namespace shardscope {

SshQuestion::Kind questionKind(const QString &words, const QString &hint)
{
    if (hint == QLatin1String("none"))
        return SshQuestion::Kind::Notice;
    if (hint == QLatin1String("confirm"))
        return SshQuestion::Kind::Confirm;
    // OpenSSH gives no hint with this one: "... continue connecting (yes/no/[fingerprint])?", and when the answer was
    // neither: "Please type 'yes', 'no' or the fingerprint:".
    static const QRegularExpression yesOrNo(QStringLiteral("\\(yes/no[)/]|type 'yes'(,| or) 'no'"));
    return yesOrNo.match(words).hasMatch() ? SshQuestion::Kind::HostKey : SshQuestion::Kind::Secret;
}

} // namespace shardscope
