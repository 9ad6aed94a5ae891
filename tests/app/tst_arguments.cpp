// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/arguments.h"

#include "app/hardware_list.h"

#include <QStandardPaths>
#include <QTest>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

ArgumentsResult read(const QString &line)
{
    return readArguments(line.split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

} // namespace

class TestArguments : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void nothingIsAWindow()
    {
        const ArgumentsResult result = read({});
        QVERIFY(result.problem.isEmpty());
        QVERIFY(result.arguments.mode == Arguments::Mode::Window);
        QVERIFY(!result.arguments.experiment);
    }

    void anExport()
    {
        const ArgumentsResult result = read(QStringLiteral(
            "--export diagram --output a.svg --size 800x600 --scale 1.5 --at 3 --background white --ranks 4"));
        QVERIFY2(result.problem.isEmpty(), qPrintable(result.problem));
        QVERIFY(result.arguments.mode == Arguments::Mode::Export);
        QCOMPARE(result.arguments.picture.size, QSize(800, 600));
        QCOMPARE(result.arguments.picture.scale, 1.5);
        QCOMPARE(result.arguments.atSeconds, 3.0);
        QVERIFY(result.arguments.picture.background == PictureBackground::White);
        QCOMPARE(result.arguments.experiment->ranks(), 4);
    }

    void aStepIsOfTheWindowAndOfWhatShowsOneStep()
    {
        for (const char *line :
             {"--step 9", "--export diagram --output a.png --step 9", "--export derivation --output a.png --step 9",
              "--export window --output a.png --step 9 --at 0.5"}) {
            const ArgumentsResult result = read(QString::fromLatin1(line));
            QVERIFY2(result.problem.isEmpty(), qPrintable(result.problem));
            QCOMPARE(result.arguments.step, std::optional(9));
        }
        QVERIFY(helpText().contains(QStringLiteral("--step K")));
    }

    /// Words that an experiment has, too, mean the page's where the page is exported, wherever they stand.
    void anExportedPageHasItsOwnOptions()
    {
        const ArgumentsResult memory = read(
            QStringLiteral("--model gpt3 --tp 8 --recompute selective --export memory --output a.png --sequence 4096"));
        QVERIFY2(memory.problem.isEmpty(), qPrintable(memory.problem));
        QVERIFY(!memory.arguments.experiment);
        QCOMPARE(memory.arguments.page.at("sequence"), std::string("4096"));
        QCOMPARE(memory.arguments.page.at("tp"), std::string("8"));
        const ArgumentsResult advice =
            read(QStringLiteral("--export advice --output a.png --hardware a100-8 --gpus 16 --latency-ms 25"));
        QVERIFY2(advice.problem.isEmpty(), qPrintable(advice.problem));
        QCOMPARE(advice.arguments.page.at("hardware"), std::string("a100-8"));
    }

    /// Low load is of decode until somebody asks for another phase.
    void anExportedPageShowsThePhaseThatWasAskedFor()
    {
        const ArgumentsResult asked =
            read(QStringLiteral("--export low-load --output a.png --phase prefill --hidden 256"));
        QVERIFY2(asked.problem.isEmpty(), qPrintable(asked.problem));
        QCOMPARE(asked.arguments.page.at("phase"), std::string("prefill"));
        QCOMPARE(asked.arguments.experiment->hidden, std::int64_t{256});
        QVERIFY(read(QStringLiteral("--export low-load --output a.png --hidden 256")).arguments.page.empty());
        QVERIFY(read(QStringLiteral("--phase prefill --hidden 256")).arguments.page.empty());
    }

    void anotherMachineRunsTheRanks()
    {
        const ArgumentsResult window = read(QStringLiteral("--remote me@gpu1 --ranks 4 --hardware h100-8"));
        QVERIFY2(window.problem.isEmpty(), qPrintable(window.problem));
        QCOMPARE(window.arguments.remote, QStringLiteral("me@gpu1"));
        for (const char *line : {"a.shardscope --remote gpu1", "--export window --output a.png --remote gpu1",
                                 "--export bug-lab --output a.png --remote gpu1 --hardware h100-8"})
            QCOMPARE(read(QString::fromLatin1(line)).problem, QString());
        // "Copy as command line" names it.
        const QString options = optionsOf(*window.arguments.experiment, "h100-8", QStringLiteral("me@gpu1"));
        QCOMPARE(read(options).arguments.remote, QStringLiteral("me@gpu1"));
    }

    void whatOnePhaseUsesIsUsed()
    {
        // Only training has an input gradient, and it is one of the three phases that the window shows.
        const ArgumentsResult result = read(QStringLiteral("--phase decode --input-gradient off"));
        QVERIFY2(result.problem.isEmpty(), qPrintable(result.problem));
    }

    void badWordsAreOneLineWithWhatIsAllowed_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("words");
        const std::pair<const char *, const char *> rows[] = {
            {"--nonsense 1", "--nonsense"},
            {"-x", "-x"},
            {"--lesson 1", "not in this version"},
            {"--present", "not in this version"},
            {"--remote -oProxyCommand=id", "--remote '-oProxyCommand=id': it begins with '-'; allowed: [USER@]HOST"},
            {"--remote=", "no host is named"},
            {"--remote me@gpu1 --remote gpu2", "twice"},
            {"--remote gpu1 --export advice --output a.png", "--export advice is calculated"},
            {"--remote gpu1 --export timeline --output a.png a.shardscope", "a.shardscope holds its own runs"},
            {"--remote gpu1 --export timeline --output a.png --hardware h100-8", "asks for a prediction"},
            {"--language ru", "not in this version"},
            {"--cache 4", "--phase decode"},
            {"--export frames --output d", "not in this version"},
            {"--export bars --output d.png", "diagram, derivation, timeline, comparison, window, phases"},
            {"--export memory --output d.png --model gpt4", "gpt3"},
            {"--export memory --output d.png --model gpt3 --tp 7", "--tp 6 or 8"},
            {"--export memory --output d.png --hidden 64", "not an option of --export memory"},
            {"--export memory --output d.png --gpus 8", "not an option of --export memory"},
            {"--export advice --output d.png --hardware this", "h100-8"},
            {"--export memory a.shardscope --output d.png", "shows no run"},
            {"--model gpt3", "--export memory and --export advice only"},
            {"--export diagram", "--output"},
            {"--export diagram --output a.gif", ".png, .svg or .pdf"},
            {"--export diagram --output a.png --size 40000x10", "32767"},
            {"--export diagram --output a.png --size 10", "1920x1080"},
            {"--export diagram --output a.png --scale 0", "0.25"},
            {"--export diagram --output a.png --scale nan", "0.25"},
            {"--export diagram --output a.png --scale 1,5", "0.25"},
            {"--export timeline --output a.png --at 1", "--at"},
            {"--export comparison --output a.png --step 2", "--export diagram, derivation and window"},
            {"--step 0", "counted from 1"},
            {"--step two", "counted from 1"},
            {"--export diagram --output a.png --background blue", "transparent"},
            {"--output a.png", "--export only"},
            {"--theme blue", "light, dark, projector"},
            {"--ranks", "needs a value"},
            {"--ranks 0", "--ranks"},
            {"--ranks 2 --ranks 4", "twice"},
            {"--scheme atention", "attention"},
            {"--hardware abacus", "h100-8"},
            {"--gather-output on", "--gather-output"},
            {"a.shardscope b.shardscope", "one file"},
            {"a.shardscope --ranks 2", "a.shardscope"},
        };
        for (const auto &[line, words] : rows)
            QTest::newRow(line) << QString::fromLatin1(line) << QString::fromLatin1(words);
    }
    void badWordsAreOneLineWithWhatIsAllowed()
    {
        QFETCH(QString, line);
        QFETCH(QString, words);
        const QString problem = read(line).problem;
        QVERIFY2(problem.contains(words), qPrintable(problem));
        QVERIFY(!problem.contains(QLatin1Char('\n')));
    }

    void helpNamesEveryOption()
    {
        for (const ExperimentOption &option : experimentOptions())
            QVERIFY(helpText().contains(QStringLiteral("--") + QString::fromStdString(std::string(option.name))));
        for (const char *option :
             {"theme", "engine", "hardware", "export", "output", "size", "scale", "at", "background"})
            QVERIFY2(helpText().contains(QStringLiteral("\n  --%1 ").arg(QLatin1String(option))), option);
        QVERIFY(read(QStringLiteral("--help")).arguments.mode == Arguments::Mode::Help);
        QVERIFY(read(QStringLiteral("--version")).arguments.mode == Arguments::Mode::Version);
    }

    /// What a refusal says is allowed stands in the help too, in the line of that option.
    void helpNamesWhatIsAllowed_data()
    {
        QTest::addColumn<QString>("option");
        for (const char *option : {"theme", "hardware", "export", "scale", "at", "background"})
            QTest::newRow(option) << QString::fromLatin1(option);
        for (const ExperimentOption &option : experimentOptions()) {
            if (!option.values.empty())
                QTest::newRow(option.name.data()) << QString::fromStdString(std::string(option.name));
        }
    }
    void helpNamesWhatIsAllowed()
    {
        QFETCH(QString, option);
        const QString problem = read(QStringLiteral("--%1 no-such-word").arg(option)).problem;
        const QString allowed = problem.mid(problem.indexOf(QLatin1String("allowed: ")) + 9);
        const QStringList lines = helpText().split(QLatin1Char('\n'));
        const auto line = std::ranges::find_if(
            lines, [&](const QString &each) { return each.startsWith(QStringLiteral("  --%1 ").arg(option)); });
        QVERIFY2(line != lines.end(), qPrintable(option));
        QVERIFY2(line->contains(allowed), qPrintable(*line + QStringLiteral(" | ") + problem));
    }

    void aProgramOffTheSearchPathIsCopiedWithItsPath()
    {
        QCOMPARE(shellWord(QStringLiteral("/no/such-place/shardscope")), QStringLiteral("/no/such-place/shardscope"));
        QCOMPARE(shellWord(QStringLiteral("/no such/it's/shardscope")),
                 QStringLiteral("'/no such/it'\\''s/shardscope'"));
        QCOMPARE(shellWord(QStandardPaths::findExecutable(QStringLiteral("sh"))), QStringLiteral("sh"));
    }

    void theCopiedCommandLineGivesTheSameState()
    {
        QVERIFY(rc::check("optionsOf, read again", [] {
            Experiment experiment;
            experiment.mesh.extents = {*rc::gen::element(1, 2, 4, 8), 1, 1};
            experiment.hidden = *rc::gen::element<std::int64_t>(256, 1024, 4096);
            experiment.ffn = experiment.hidden * *rc::gen::element<std::int64_t>(1, 4);
            experiment.heads = experiment.hidden / 64;
            experiment.kvHeads = experiment.heads;
            experiment.scheme = *rc::gen::element(Scheme::Column, Scheme::Row, Scheme::Mlp);
            experiment.phase = *rc::gen::element(Phase::Training, Phase::Prefill, Phase::Decode);
            experiment.dtype = *rc::gen::element(DType::F32, DType::BF16);
            experiment.gatherOutput = experiment.scheme == Scheme::Column && *rc::gen::arbitrary<bool>();
            experiment.steps = *rc::gen::inRange(1, 50);
            const std::string machine = *rc::gen::element<std::string>("this", "a100-8");
            const ArgumentsResult again = readArguments(optionsOf(experiment, machine).split(QLatin1Char(' ')));
            RC_ASSERT(again.problem.isEmpty());
            RC_ASSERT(again.arguments.experiment.has_value());
            RC_ASSERT(*again.arguments.experiment == experiment);
            RC_ASSERT(again.arguments.hardware == (machine == "this" ? QString() : QString::fromStdString(machine)));
        }));
    }
};

QTEST_GUILESS_MAIN(TestArguments)
#include "tst_arguments.moc"
