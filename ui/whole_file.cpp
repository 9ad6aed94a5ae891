// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/whole_file.h"

#include "ui/translation.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QTemporaryFile>

namespace shardscope {

namespace {

bool writeAll(QSaveFile &target, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        // A disk that fills takes a part first; only the next attempt says why.
        const qint64 written = target.write(bytes.data(), bytes.size());
        if (written <= 0)
            return false;
        bytes = bytes.sliced(written);
    }
    return true;
}

} // namespace

QString writeWhole(const QString &file, QByteArrayView bytes)
{
    QSaveFile target(file);
    // Without a buffer the system's own reason is known; through one it is lost on the way to commit().
    if (!target.open(QIODevice::WriteOnly | QIODevice::Unbuffered) || !writeAll(target, bytes) || !target.commit())
        return tr("%1: %2").arg(QDir::toNativeSeparators(file), target.errorString());
    return {};
}

QString targetProblem(const QString &file)
{
    const QString shown = QDir::toNativeSeparators(file);
    const QFileInfo info(file);
    if (info.isDir())
        return tr("%1: is a directory; a file name is needed").arg(shown);
    if (info.exists() && !info.isFile())
        return tr("%1: is no regular file; allowed: a new file, or one to replace").arg(shown);
    const QString folder = info.absolutePath();
    if (!QFileInfo(folder).isDir())
        return tr("%1: the directory %2 does not exist").arg(shown, QDir::toNativeSeparators(folder));
    if (info.exists() && !info.isWritable())
        return tr("%1: may not be written").arg(shown);
    // Rights, read-only disks, quotas: only trying tells.
    QTemporaryFile trial(folder + QStringLiteral("/.shardscope-XXXXXX"));
    return trial.open() ? QString() : tr("%1: cannot be written: %2").arg(shown, trial.errorString());
}

} // namespace shardscope
