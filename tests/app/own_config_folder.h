// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QTemporaryDir>

namespace shardscope::tests {

/// A folder for settings that belongs to this test alone: made here and named to the program, so that nothing which the
/// environment names is ever touched. Make it before the first settings are read.
class OwnConfigFolder
{
public:
    OwnConfigFolder() { qputenv("XDG_CONFIG_HOME", m_folder.path().toLocal8Bit()); }
    [[nodiscard]] bool isValid() const { return m_folder.isValid() && !m_folder.path().isEmpty(); }
    [[nodiscard]] QString path() const { return m_folder.path(); }
    /// As on the first start.
    void clear() const
    {
        if (!isValid())
            return;
        QDir(m_folder.path()).removeRecursively();
        QDir().mkpath(m_folder.path());
    }

private:
    QTemporaryDir m_folder;
};

} // namespace shardscope::tests
