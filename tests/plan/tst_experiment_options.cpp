// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"

#include "tests/plan/plan_experiments.h"

#include <QTest>
#include <rapidcheck.h>

#include <clocale>

using namespace shardscope;

namespace {

/// "--scheme mlp --ranks 4" as option values.
OptionValues parsed(const std::string &line)
{
    OptionValues values;
    const QStringList words = QString::fromStdString(line).split(' ', Qt::SkipEmptyParts);
    for (int i = 0; i + 1 < words.size(); i += 2)
        values[words[i].mid(2).toStdString()] = words[i + 1].toStdString();
    return values;
}

QString refusal(const char *line, Unused unused = Unused::Refuse)
{
    const auto e = readExperiment(parsed(line), unused);
    return e ? QString("accepted") : QString::fromStdString(english(e.problem()));
}

/// Any valid experiment.
Experiment anyExperiment()
{
    const int ranks = *rc::gen::inRange(1, 65);
    const auto all = everyCorrectExperiment(ranks);
    Experiment e = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    e.hidden = *rc::gen::inRange<std::int64_t>(1, 20000);
    e.ffn = ranks * *rc::gen::inRange<std::int64_t>(1, 1000);
    if (*rc::gen::arbitrary<bool>() && (4 * e.hidden) % ranks == 0)
        e.ffn = 4 * e.hidden;
    e.heads = defaultsFor(e).heads;
    e.kvHeads = e.heads;
    e.batch = *rc::gen::inRange<std::int64_t>(1, 100);
    e.sequence = *rc::gen::inRange<std::int64_t>(1, 10000);
    e.cache = e.sequence;
    e.dtype = *rc::gen::element(DType::F32, DType::F64, DType::BF16, DType::F16);
    e.backend = *rc::gen::element(Backend::Auto, Backend::Cpu);
    e.algorithm = *rc::gen::element(Algorithm::Library, Algorithm::Ring, Algorithm::Direct);
    e.threads = *rc::gen::inRange(0, 64);
    e.steps = *rc::gen::inRange(1, 1000);
    e.warmup = *rc::gen::inRange(0, 10);
    e.seed = *rc::gen::arbitrary<std::uint64_t>();
    e.timeoutSeconds = *rc::gen::inRange(1, 100000) / 1000.0;
    if (*rc::gen::arbitrary<bool>())
        e.delay = Delay{*rc::gen::inRange(0, ranks), *rc::gen::inRange(0, 60000000) / 1000.0};
    return e;
}

} // namespace

class TestExperimentOptions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void defaults();
    void ffnFollowsHidden();
    void meshAndRanks();
    void commandLineReadsBack();
    void allOptionsReadBack();
    void commandLineSaysOnlyWhatDiffers();
    void everyOptionIsDescribed();
    void appliesWhereUsed();
    void unusedOptionsMayBeAllowed();
    void refused_data();
    void refused();
    void accepted_data();
    void accepted();
    void fieldsSetByHandAreValidated();
    void anyTextIsAnsweredInOneLine();
    void decimalPointInEveryLocale();
};

void TestExperimentOptions::defaults()
{
    const Experiment e = experimentOf({});
    QVERIFY(e == Experiment{});
    QCOMPARE(allOptions(e).at("ranks"), "2");
    QCOMPARE(allOptions(e).at("mesh"), "tp=2");
    QCOMPARE(allOptions(e).at("ffn"), "4096");
    QCOMPARE(allOptions(e).at("delay"), "none");
    QCOMPARE(allOptions(e).at("timeout"), "auto");
    QCOMPARE(e.timeout(), 10.0);
    QCOMPARE(experimentOf({{"backend", "cuda"}}).timeout(), 30.0);
    QCOMPARE(experimentOf({{"backend", "cuda"}, {"timeout", "2.5"}}).timeout(), 2.5);
    QCOMPARE(commandLine(e), "");
}

void TestExperimentOptions::ffnFollowsHidden()
{
    QCOMPARE(experimentOf({{"hidden", "512"}}).ffn, 2048);
    QCOMPARE(experimentOf({{"hidden", "512"}, {"ffn", "100"}}).ffn, 100);
    QCOMPARE(commandLine(experimentOf({{"hidden", "512"}, {"ffn", "2048"}})), "--hidden 512");
}

void TestExperimentOptions::meshAndRanks()
{
    QCOMPARE(experimentOf({{"mesh", "tp=8"}}).ranks(), 8);
    QCOMPARE(experimentOf({{"mesh", "tp=8"}, {"ranks", "8"}}).ranks(), 8);
    QCOMPARE(refusal("--mesh tp=8 --ranks 4"),
             "--ranks 4: --mesh tp=8 is of 8 ranks; allowed: --ranks 8, or --mesh tp=4");
    QCOMPARE(experimentOf({{"mesh", "dp=2,tp=4"}}).mesh, (Mesh{{4, 2, 1}}));
    QCOMPARE(experimentOf({{"scheme", "zero3"}, {"ranks", "4"}}).mesh, (Mesh{{1, 4, 1}}));
    QCOMPARE(experimentOf({{"scheme", "pipeline"}, {"ranks", "4"}}).mesh, (Mesh{{1, 1, 4}}));
    QCOMPARE(experimentOf({{"scheme", "pipeline"}, {"ranks", "4"}}).layers, 4);
    QCOMPARE(commandLine(experimentOf({{"scheme", "pipeline"}, {"ranks", "4"}})), "--scheme pipeline --ranks 4");
    QCOMPARE(commandLine(experimentOf({{"mesh", "tp=2,dp=2"}})), "--mesh tp=2,dp=2");
    for (const char *mesh :
         {"4", "tp=16385", "tp=2,tp=2", "tp=", "tp=2,", "xp=2", "tp=128,dp=129", "tp=16384,dp=16384,pp=16384"})
        QCOMPARE(refusal(("--mesh " + std::string(mesh)).c_str()),
                 QString("--mesh %1: not a mesh; allowed: axes tp, dp and pp, each once, as in tp=2,dp=2, together at "
                         "most 64 ranks in a run, 16384 in a prediction")
                     .arg(mesh));
}

void TestExperimentOptions::commandLineReadsBack()
{
    QVERIFY(rc::check("the command line of an experiment gives it again", [] {
        const Experiment e = anyExperiment();
        const auto again = readExperiment(parsed(commandLine(e)));
        RC_ASSERT(again.ok());
        RC_ASSERT(*again == e);
    }));
}

void TestExperimentOptions::allOptionsReadBack()
{
    QVERIFY(rc::check("all options of an experiment give it again", [] {
        const Experiment e = anyExperiment();
        const OptionValues all = allOptions(e);
        RC_ASSERT(all.size() == experimentOptions().size());
        const auto again = readExperiment(all, Unused::Allow);
        RC_ASSERT(again.ok());
        RC_ASSERT(*again == e);
    }));
}

void TestExperimentOptions::commandLineSaysOnlyWhatDiffers()
{
    QCOMPARE(commandLine(experimentOf({{"scheme", "column"},
                                       {"ranks", "4"},
                                       {"gather-output", "on"},
                                       {"bias", "on"},
                                       {"delay", "2:20"},
                                       {"timeout", "2.5"}})),
             "--scheme column --ranks 4 --gather-output on --delay 2:20 --timeout 2.5");
}

void TestExperimentOptions::everyOptionIsDescribed()
{
    for (const ExperimentOption &option : experimentOptions()) {
        QVERIFY(!option.meaning.empty());
        QVERIFY(!option.defaultText.empty());
        QVERIFY(findOption(option.name) == &option);
        const bool hasWords =
            option.kind == ExperimentOption::Kind::Word || option.kind == ExperimentOption::Kind::Switch;
        QCOMPARE(!option.values.empty(), hasWords);
        for (const std::string &value : option.values) {
            Experiment e;
            QVERIFY(!option.set(e, value));
            QCOMPARE(option.get(e), value);
        }
    }
    QVERIFY(findOption("no-such") == nullptr);
}

void TestExperimentOptions::appliesWhereUsed()
{
    // An option applies to an experiment exactly when another value changes the plan.
    for (const char *switched : {"gather-output", "input-parallel", "input-gradient", "mlp", "bias"}) {
        const ExperimentOption &option = *findOption(switched);
        for (Experiment e : everyCorrectExperiment(4)) {
            const Plan before = buildPlan(e);
            for (const std::string &value : option.values)
                if (value != option.get(e)) {
                    Experiment other = e;
                    QVERIFY(!option.set(other, value));
                    QCOMPARE(toText(buildPlan(other)) != toText(before), option.applies(e));
                }
        }
    }
}

void TestExperimentOptions::unusedOptionsMayBeAllowed()
{
    const auto decode = readExperiment(parsed("--phase decode --input-gradient off --gather-output on"), Unused::Allow);
    QVERIFY(decode.ok());
    QVERIFY(decode->inputGradient);
    QVERIFY(!decode->gatherOutput);
    QCOMPARE(refusal("--gather-output perhaps", Unused::Allow),
             "--gather-output perhaps: no such value; allowed: on, off");
}

void TestExperimentOptions::refused_data()
{
    QTest::addColumn<QString>("message");
    const auto row = [](const char *line, const char *message) { QTest::newRow(line) << QString(message); };
    row("--hidden 1001 --ranks 2 --ffn 1001",
        "--ffn 1001: 2 ranks cannot share f = 1001 evenly; allowed: --ffn 1000 or 1002, or --ranks 1 or 7");
    row("--ffn 1 --ranks 2", "--ffn 1: 2 ranks cannot share f = 1 evenly; allowed: --ffn 2, or --ranks 1");
    row("--ranks 0", "--ranks 0: out of range; allowed: 1 to 64 in a run, to 16384 in a prediction");
    row("--ranks 16385", "--ranks 16385: out of range; allowed: 1 to 64 in a run, to 16384 in a prediction");
    row("--ranks -2", "--ranks -2: out of range; allowed: 1 to 64 in a run, to 16384 in a prediction");
    row("--ranks 4x", "--ranks 4x: not a whole number; allowed: 1 to 64 in a run, to 16384 in a prediction");
    row("--ranks 2.0", "--ranks 2.0: not a whole number; allowed: 1 to 64 in a run, to 16384 in a prediction");
    row("--ranks 99999999999999999999",
        "--ranks 99999999999999999999: out of range; allowed: 1 to 64 in a run, to 16384 in a prediction");
    row("--hidden 100000001", "--hidden 100000001: out of range; allowed: 1 to 100000000");
    row("--ranks 3 --hidden 768 --algorithm halving-doubling",
        "--algorithm halving-doubling: it pairs the ranks again and again, so their number must be a power of two, and "
        "3 is not; allowed: --algorithm library, ring, tree or direct");
    row("--scheme column --gather-output on --algorithm tree",
        "--algorithm tree: a tree adds and hands out, so it runs all_reduce only, and this layer needs an all_gather; "
        "allowed: --algorithm library, ring, direct or halving-doubling");
    row("--scheme row --input-parallel off --algorithm tree",
        "--algorithm tree: a tree adds and hands out, so it runs all_reduce only, and this layer needs an all_gather; "
        "allowed: --algorithm library, ring, direct or halving-doubling");
    row("--scheme colum",
        "--scheme colum: no such value; allowed: column, row, mlp, attention, block, embedding, logits, data-parallel, "
        "zero1, zero2, zero3, pipeline, bug:row-bias-each-rank, bug:all-reduce-columns, bug:nonlinearity-on-partial, "
        "bug:all-reduce-weight-gradient, bug:missing-input-gradient-reduce, bug:average-instead-of-sum, "
        "bug:concat-partials, bug:unsharded-heads, bug:unreduced-kv, bug:naive-exercise");
    row("--backend gpu", "--backend gpu: no such value; allowed: auto, cpu, cuda");
    row("--dtype int8", "--dtype int8: no such value; allowed: f32, f64, bf16, f16");
    row("--gather-output on", "--gather-output: scheme mlp in phase training does not use it; allowed: --scheme column "
                              "or logits, or without --gather-output");
    row("--gather-output off", "--gather-output: scheme mlp in phase training does not use it; allowed: --scheme "
                               "column or logits, or without --gather-output");
    row("--scheme column --mlp swiglu",
        "--mlp: scheme column in phase training does not use it; allowed: --scheme mlp, block, data-parallel, "
        "zero1, zero2, zero3 or pipeline, or without --mlp");
    row("--phase decode --input-gradient off", "--input-gradient: scheme mlp in phase decode does not use it; allowed: "
                                               "--phase training, or without --input-gradient");
    row("--phase prefill --input-gradient on", "--input-gradient: scheme mlp in phase prefill does not use it; "
                                               "allowed: --phase training, or without --input-gradient");
    row("--cache 4", "--cache: scheme mlp in phase training does not use it; allowed: --scheme attention --phase "
                     "decode, or --scheme block --phase decode, or without --cache");
    row("--hiden 8", "--hiden: no such option; did you mean --hidden?");
    row("--steps 0", "--steps 0: out of range; allowed: 1 to 100000");
    row("--warmup -1", "--warmup -1: out of range; allowed: 0 to 100000");
    row("--seed -1", "--seed -1: not a whole number; allowed: 0 to 18446744073709551615");
    row("--delay 5", "--delay 5: not RANK:MS; allowed: a rank and 0 to 60000 ms, as in --delay 2:20");
    row("--delay 0:nan", "--delay 0:nan: not RANK:MS; allowed: a rank and 0 to 60000 ms, as in --delay 2:20");
    row("--delay 0:-1", "--delay 0:-1: not RANK:MS; allowed: a rank and 0 to 60000 ms, as in --delay 2:20");
    row("--delay 2:20", "--delay 2:20: of 2 ranks there is no rank 2; allowed: --delay 1:20, or --ranks 4");
    row("--timeout 0", "--timeout 0: out of range; allowed: 0.001 to 86400, or auto");
    row("--timeout 1,5", "--timeout 1,5: not a number; allowed: 0.001 to 86400, or auto");
    row("--timeout inf", "--timeout inf: not a number; allowed: 0.001 to 86400, or auto");
    row("--batch 65536 --sequence 1048576 --hidden 100000000",
        "--batch, --sequence: 68719476736 tokens of width 400000000 are more numbers than can be counted here; "
        "allowed: --batch 2, or --sequence 32");
    row("--scheme bug:row-bias-each-rank --ranks 1", "--scheme bug:row-bias-each-rank: with one rank nothing is "
                                                     "summed, so the bug cannot show; allowed: --ranks 2");
    row("--scheme bug:all-reduce-columns --ranks 1", "--scheme bug:all-reduce-columns: with one rank nothing is "
                                                     "summed, so the bug cannot show; allowed: --ranks 2");
    row("--scheme bug:row-bias-each-rank --bias off",
        "--scheme bug:row-bias-each-rank: without a bias the bug cannot show; allowed: --bias on");
}

void TestExperimentOptions::refused()
{
    QFETCH(QString, message);
    QCOMPARE(refusal(QTest::currentDataTag()), message);
}

void TestExperimentOptions::accepted_data()
{
    QTest::addColumn<bool>("dummy");
    for (const char *line : {"--hidden 99999999", "--ranks 64", "--ranks 3 --hidden 768", "--sequence 9 --phase decode",
                             "--scheme column --algorithm tree", "--scheme row --algorithm tree",
                             "--scheme bug:all-reduce-columns --bias off", "--delay 1:0.5", "--delay none",
                             "--ranks 1 --algorithm halving-doubling", "--seed 18446744073709551615", "--threads 0",
                             "--scheme column --phase decode --gather-output on --bias off", "--backend cpu"})
        QTest::newRow(line) << true;
}

void TestExperimentOptions::accepted()
{
    QCOMPARE(refusal(QTest::currentDataTag()), "accepted");
}

void TestExperimentOptions::fieldsSetByHandAreValidated()
{
    const auto problem = [](auto change) {
        Experiment e;
        change(e);
        const auto found = validate(e);
        return found ? QString::fromStdString(english(*found)) : QString("valid");
    };
    QCOMPARE(problem([](Experiment &) {}), "valid");
    QCOMPARE(problem([](Experiment &e) { e.ffn = 0; }), "--ffn 0: out of range; allowed: 1 to 400000000");
    QCOMPARE(problem([](Experiment &e) {
                 e.mesh = Mesh{{0, 1, 1}};
             }),
             "--ranks 0: out of range; allowed: 1 to 64 in a run, to 16384 in a prediction");
    QCOMPARE(problem([](Experiment &e) { e.mesh = Mesh{{2, 2, 1}}; }), "valid");
    QCOMPARE(problem([](Experiment &e) {
                 e.scheme = Scheme::Column;
                 e.mesh = Mesh{{2, 2, 1}};
             }),
             "--mesh tp=2,dp=2: scheme column is tensor-parallel alone; allowed: --mesh tp=4");
    QCOMPARE(problem([](Experiment &e) { e.backend = Backend::Cuda; }), "valid"); // this machine may say otherwise
    QCOMPARE(problem([](Experiment &e) {
                 e.delay = Delay{0, -1};
             }),
             "--delay 0:-1: not RANK:MS; allowed: a rank and 0 to 60000 ms, as in --delay 2:20");
}

void TestExperimentOptions::anyTextIsAnsweredInOneLine()
{
    QVERIFY(rc::check("no value crashes, and a refusal is one line that names the option", [] {
        const auto &options = experimentOptions();
        const auto &option = options[*rc::gen::inRange<std::size_t>(0, options.size())];
        const auto value =
            *rc::gen::container<std::string>(rc::gen::element('0', '1', '9', '-', '.', ':', 'e', 'x', '=', ' '));
        const auto e = readExperiment({{std::string(option.name), value}}, Unused::Allow);
        if (!e) {
            const std::string message = english(e.problem());
            RC_ASSERT(message.find('\n') == std::string::npos);
            RC_ASSERT(message.starts_with("--"));
            RC_ASSERT(message.find("allowed") != std::string::npos);
        }
    }));
}

void TestExperimentOptions::decimalPointInEveryLocale()
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr)
        QSKIP("the locale de_DE.UTF-8 is not there");
    const Experiment e = experimentOf({{"timeout", "2.5"}, {"delay", "1:0.25"}});
    const std::string line = commandLine(e);
    std::setlocale(LC_ALL, before.c_str());
    QCOMPARE(line, "--delay 1:0.25 --timeout 2.5");
    QCOMPARE(e.timeoutSeconds, 2.5);
}

QTEST_GUILESS_MAIN(TestExperimentOptions)
#include "tst_experiment_options.moc"
