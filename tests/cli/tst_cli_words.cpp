// SPDX-License-Identifier: MIT
// Help: every command explains itself.
#include "tests/cli/engine_program.h"

namespace {

const QStringList kCommands{"run",    "compare", "sweep",     "plan",     "predict", "memory",
                            "advise", "show",    "bandwidth", "selftest", "doctor",  "serve"};

} // namespace

class TestCliWords : public QObject
{
    Q_OBJECT

private slots:
    void generalHelpNamesEveryCommand()
    {
        const ProgramResult help = engine("--help");
        QCOMPARE(help.status, 0);
        for (const QString &command : kCommands)
            QVERIFY2(help.out.contains("\n  " + command.toUtf8() + ' '), qPrintable(command));
        QVERIFY(help.out.contains("130"));
        QVERIFY(help.err.isEmpty());
    }

    void eachCommandExplainsItself()
    {
        for (const QString &command : kCommands) {
            const ProgramResult help = engine(command + " --help");
            QCOMPARE(help.status, 0);
            QVERIFY2(help.out.contains("Usage: shardscope-engine " + command.toUtf8()), help.out.constData());
            const QByteArray examples = help.out.mid(help.out.indexOf("\nExamples\n"));
            QVERIFY2(examples.count("shardscope-engine " + command.toUtf8()) >= 2, examples.constData());
        }
    }

    void helpHasEveryDefault_data()
    {
        QTest::addColumn<QByteArray>("option");
        QTest::addColumn<QByteArray>("defaultText");
        const QList<QPair<QByteArray, QByteArray>> contract{{"scheme", "mlp"},
                                                            {"phase", "training"},
                                                            {"ranks", "2"},
                                                            {"hidden", "1024"},
                                                            {"ffn", "4h"},
                                                            {"mlp", "gelu"},
                                                            {"batch", "4"},
                                                            {"sequence", "64"},
                                                            {"dtype", "f32"},
                                                            {"bias", "on"},
                                                            {"gather-output", "off"},
                                                            {"input-parallel", "on"},
                                                            {"steps", "20"},
                                                            {"warmup", "3"},
                                                            {"seed", "1"},
                                                            {"input-gradient", "on"},
                                                            {"format", "table"},
                                                            {"algorithm", "library"}};
        for (const auto &[option, defaultText] : contract)
            QTest::newRow(option.constData()) << option << defaultText;
    }

    void helpHasEveryDefault()
    {
        QFETCH(QByteArray, option);
        QFETCH(QByteArray, defaultText);
        static const QByteArray help = engine("run --help").out;
        const qsizetype begin = help.indexOf("  --" + option + ' ');
        QVERIFY(begin >= 0);
        const qsizetype next = help.indexOf("\n  --", begin);
        const QByteArray entry = help.mid(begin, next - begin);
        QVERIFY2(entry.contains('[' + defaultText), entry.constData());
    }

    void version()
    {
        const ProgramResult result = engine("--version");
        QCOMPARE(result.status, 0);
        QVERIFY(result.out.startsWith("shardscope-engine "));
    }

    void helpOfACommandTheOtherWay() { QCOMPARE(engine("help run").out, engine("run --help").out); }

    void bothWaysToWriteAValue() { QCOMPARE(engine("plan --ranks=4").out, engine("plan --ranks 4").out); }
};

QTEST_GUILESS_MAIN(TestCliWords)
#include "tst_cli_words.moc"
