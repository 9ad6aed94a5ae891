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

    /// Where there is one of a thing, it is one thing; and the article fits the word.
    void oneIsNotMany_data()
    {
        QTest::addColumn<QString>("words");
        const QString one =
            " --hardware h100-8 --ranks 1 --batch 1 --sequence 1 --steps 1 --warmup 0 --hidden 1 --ffn 1";
        for (const QString &words :
             {"predict" + one, "plan" + one, "compare" + one, "sweep" + one,
              "predict --scheme attention --heads 1" + one, "compare --schemes mlp,zero3" + one,
              "plan --scheme attention --heads 1 --phase decode --cache 1" + one,
              "plan --scheme pipeline --micro-batches 1" + one,
              QString("plan --scheme block --ranks 2 --heads 2 --kv-heads 1 --hidden 2 --batch 1"),
              QString("plan --mesh tp=1 --ranks 4"), QString("plan --algorithm tree --scheme zero1"),
              QString("plan --algorithm tree --sequence-parallel keep"),
              QString("plan --scheme bug:unsharded-heads --heads 2 --hidden 2"),
              QString("memory --model gpt3 --pp 96 --batch 1 --sequence 1"),
              QString("advise --model llama3-8b --gpus 1 --batch 1 --global-batch 1"),
              QString("predict --hardware h100-8 --ranks 9 --ffn 9 --hidden 9")})
            QTest::newRow(qPrintable(words)) << words;
    }

    void oneIsNotMany()
    {
        static const QRegularExpression many(
            "(?<![\\d.,=/^*x-])(?<![=x*/] )\\b1 (ranks|steps|timed steps|layers|tokens|sequences|(KV |query |attention "
            ")?heads|"
            "cores|CPU threads|threads|GPUs|devices|hops|micro-batches|stages|replicas|columns|rows|bytes|checks|"
            "collectives|records|runs|points|layouts|schemes|messages)\\b");
        static const QRegularExpression article("\\b(an [b-df-gj-km-np-qt-wyz][a-z_-]+|a [aeio][a-z_-]+)\\b");
        QFETCH(QString, words);
        const ProgramResult result = engine(words);
        const QString said = QString::fromUtf8(result.out + result.err);
        QVERIFY(!said.isEmpty());
        for (const QRegularExpression &wrong : {many, article}) {
            const QRegularExpressionMatch match = wrong.match(said);
            QVERIFY2(!match.hasMatch(), qPrintable(said.mid(std::max<qsizetype>(0, match.capturedStart() - 40), 100)));
        }
    }

    void helpOfACommandTheOtherWay() { QCOMPARE(engine("help run").out, engine("run --help").out); }

    void bothWaysToWriteAValue() { QCOMPARE(engine("plan --ranks=4").out, engine("plan --ranks 4").out); }
};

QTEST_GUILESS_MAIN(TestCliWords)
#include "tst_cli_words.moc"
