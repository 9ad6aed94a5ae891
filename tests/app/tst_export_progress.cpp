// SPDX-License-Identifier: GPL-3.0-or-later
// How long an export without a window still takes, as its line on the terminal says it.
#include "app/export_progress.h"

#include <QtTest>

using namespace shardscope;

class TestExportProgress : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void timeLeftFollowsWhatIsDone()
    {
        QCOMPARE(timeLeft(0.5, 40), QStringLiteral("about 40 s left"));
        QCOMPARE(timeLeft(0.1, 60), QStringLiteral("about 9 min left"));
        QCOMPARE(timeLeft(0.99, 10), QStringLiteral("about 1 s left"));
        // Too little is known, or nothing is left.
        QCOMPARE(timeLeft(0.5, 1), QString());
        QCOMPARE(timeLeft(0.001, 60), QString());
        QCOMPARE(timeLeft(-1, 60), QString());
        QCOMPARE(timeLeft(1, 60), QString());
    }
};

QTEST_GUILESS_MAIN(TestExportProgress)
#include "tst_export_progress.moc"
