// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/history.h"

#include <QTest>

using namespace shardscope;

namespace {

Experiment withHidden(std::int64_t hidden)
{
    Experiment experiment;
    experiment.hidden = hidden;
    return experiment;
}

} // namespace

class TestHistory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void oneDragIsOneStep()
    {
        History history(withHidden(1024));
        for (const int hidden : {1536, 2048, 3072, 4096})
            history.push(withHidden(hidden), 7);
        history.undo();
        QCOMPARE(history.current().hidden, 1024);
        QVERIFY(!history.canUndo());
        history.redo();
        QCOMPARE(history.current().hidden, 4096);
    }

    void twoDragsAreTwoSteps()
    {
        History history(withHidden(1));
        history.push(withHidden(2), 1);
        history.push(withHidden(3), 2);
        history.undo();
        QCOMPARE(history.current().hidden, 2);
    }

    void stepsWithoutAGestureNeverMerge()
    {
        History history(withHidden(1));
        history.push(withHidden(2), 0);
        history.push(withHidden(3), 0);
        history.undo();
        QCOMPARE(history.current().hidden, 2);
    }

    void aChangeAfterUndoForgetsWhatWasUndone()
    {
        History history(withHidden(1));
        history.push(withHidden(2), 1);
        history.undo();
        history.push(withHidden(3), 1);
        QVERIFY(!history.canRedo());
        history.undo();
        QCOMPARE(history.current().hidden, 1);
    }

    void theSameValueIsNoStep()
    {
        History history(withHidden(1));
        history.push(withHidden(1), 0);
        QVERIFY(!history.canUndo());
    }
};

QTEST_GUILESS_MAIN(TestHistory)
#include "tst_history.moc"
