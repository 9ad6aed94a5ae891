// SPDX-License-Identifier: MIT
// Every bad word is answered by one line that says which, why and what is allowed, and by exit status 2.
#include "tests/cli/engine_program.h"

class TestCliRefusals : public QObject
{
    Q_OBJECT

private slots:
    void badWords_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("which");
        QTest::addColumn<QString>("allowed");
        const auto row = [](const char *words, const char *which, const char *allowed) {
            QTest::newRow(words[0] == '\0' ? "nothing" : words) << QString(words) << QString(which) << QString(allowed);
        };
        row("", "command", "--help");
        row("fly", "fly", "allowed: run");
        row("run --ranks 0", "--ranks 0", "allowed: 1 to 64");
        row("run --ranks 128", "--ranks 128", "allowed: up to 64 ranks");
        row("run --ranks two", "--ranks two", "allowed: 1 to 64");
        row("run --ranks 2.5", "--ranks 2.5", "allowed");
        row("run --ranks -1", "--ranks -1", "allowed");
        row("run --ranks", "--ranks", "needs a value");
        row("run --ranks 2 --ranks 4", "--ranks", "once");
        row("run --ranks 2 --steps 5 --steps 3", "--steps", "once");
        row("run --scheme mlp --ranks --hidden 4", "--ranks", "needs a value");
        row("run --ranks=", "--ranks", "needs a value");
        row("plan --output --format json", "--output", "needs a value");
        row("predict --hardware", "--hardware", "needs a value");
        row("run -ranks 4", "-ranks", "allowed: --ranks");
        row("run -r", "-r", "--help");
        row("run --rank 4", "--rank", "did you mean --ranks");
        row("selftest --faults=no", "--faults", "takes no value");
        row("selftest --faults --faults", "--faults", "once");
        row("selftest --ranks 5", "5 ranks", "allowed: 1, 2, 3, 4, 8");
        row("selftest --backend gpu", "--backend gpu", "cuda");
        row("compare --schemes mlp,row", "--schemes", "row runs row");
        row("sweep --mesh tp=2,tp=2", "tp=2,tp=2", "not a mesh");
        row("run --backend cuda", "--backend cuda", "run with --backend cpu"); // this build has no ranks for GPUs
        row("help fly", "fly", "allowed: run");
        row("--version now", "now", "not expected");
        row("run --mesh tp=3 --ffn 1000", "--ffn 1000", "or --mesh tp=2 or tp=4");
        row("run --hidden 1001 --ranks 2 --ffn 1001", "--ffn 1001", "allowed: --ffn 1000 or 1002");
        row("run --ranks 3 --hidden 768 --algorithm halving-doubling", "halving-doubling", "power of two");
        row("run --hidden 99999999", "h 99999999", "available");
        row("run --hidden 1e3", "--hidden 1e3", "allowed");
        row("run --format nonsense", "--format nonsense", "allowed: table, json, jsonl, csv, trace");
        row("plan --format csv", "--format csv", "allowed: table, json");
        row("run --scheme nonsense", "nonsense", "allowed: ");
        row("run --scheme bug:row-bias-each-rank --ranks 1", "bug:row-bias-each-rank", "allowed: --ranks 2");
        row("run --scheme bug:row-bias-each-rank --bias off", "bug:row-bias-each-rank", "--bias on");
        row("run --heads 8", "--heads", "--scheme attention or block, or without --heads");
        row("run --scheme pipeline --stage-delay 3000:0 --timeout 2", "--stage-delay 3000:0", "--timeout 7");
        row("plan --scheme zero3 --mesh pp=3 --hidden 12 --zero 1", "--zero", "allowed: without --zero");
        row("run --colour blue", "--colour", "--help");
        row("run --scheme row --gather-output on", "--gather-output", "column");
        row("run --phase decode --input-gradient off --scheme column", "--input-gradient", "training");
        row("run --gather-output maybe --scheme column", "maybe", "on, off");
        row("run --delay 7:20 --ranks 4", "--delay 7", "allowed: --delay 3:20, or --ranks 8");
        row("run --delay soon", "--delay soon", "RANK:MS");
        row("run --steps 0", "--steps 0", "allowed");
        row("run --hardware h100-8", "--hardware", "not an option of run");
        row("run extra", "extra", "--help");
        row("compare --phase decode", "--phase", "compare runs");
        row("compare --scheme mlp --gather-output on", "--gather-output", "column");
        row("compare --scheme bug:unreduced-kv --ranks 4 --kv-heads 16", "--scheme bug:unreduced-kv",
            "allowed: --kv-heads 2");
        row("compare --schemes mlp,block", "--schemes", "mlp runs mlp, block runs block");
        row("compare --schemes mlp,zero3,attention --ranks 5", "--schemes", "attention runs attention");
        row("compare --schemes mlp,zero4", "--schemes zero4", "allowed: column");
        row("compare --schemes mlp,mlp", "mlp", "twice");
        row("compare --schemes mlp,,zero3", "--schemes", "written mlp,zero3");
        row("compare --schemes mlp,zero3 --scheme mlp", "--scheme", "one of the two");
        row("compare --schemes mlp,zero3 --phase decode", "--phase decode", "allowed: training");
        row("compare --schemes block,zero3 --ranks 4 --batch 6", "--batch 6", "--batch 4 or 8");
        row("compare --schemes mlp,pipeline --ranks 4 --layers 6", "--layers 6", "8");
        row("compare --schemes column,bug:naive-exercise", "without bias", "allowed: --bias off");
        row("run --schemes mlp,zero3", "--schemes", "not an option of run");
        row("run --scheme attention --heads 6 --hidden 96 --ranks 4", "--heads 6", "allowed: --heads");
        row("run --scheme attention --kv-heads 3", "--kv-heads 3", "allowed: --kv-heads 2 or 4");
        row("run --mesh tp=2,dp=2 --ranks 8", "--ranks 8", "allowed: --ranks 4, or --mesh tp=4,dp=2 or tp=2,dp=4");
        row("run --scheme row --mesh tp=2,dp=2", "--mesh tp=2,dp=2", "allowed: --mesh tp=4");
        row("run --scheme pipeline --ranks 4 --layers 6", "--layers 6", "8");
        row("run --scheme zero3 --ranks 3", "--hidden 1024", "1023 or 1026");
        row("run --scheme logits --ranks 3", "--vocabulary 32000", "31998 or 32001");
        row("run --sequence-parallel megatron --ranks 4 --sequence 63", "--sequence 63", "60 or 64");
        row("run --sequence-parallel megatron --phase decode", "--sequence-parallel", "--phase training");
        row("run --recompute selective", "--recompute selective", "allowed: --recompute none or full");
        row("run --zero 3", "--zero", "--mesh tp=2,dp=2");
        row("predict --hardware cray-1", "cray-1", "allowed: this, a100-8, b200-8, h100-8, h100-8-nvls, pcie5-8");
        row("predict --hardware h100-8 --backend cpu", "--backend cpu", "allowed: auto");
        row("plan --hardware h100-8 --backend cpu", "--backend cpu", "allowed: auto");
        row("sweep --hidden 1024,,2048", "--hidden", "empty");
        row("sweep --hidden 1024,1024", "1024", "twice");
        row("sweep --ranks 2,3 --ffn 4096 --hidden 1024", "--ffn 4096", "allowed");
        row("sweep --delay 0:1,1:1", "--delay", "RANK:MS");
        row("show", "FILE", "show FILE");
        row("show /no/such/file", "/no/such/file", "saved run");
        row("show /tmp", "/tmp", "saved run");
        row("bandwidth --ranks 1", "--ranks 1", "2 or more");
        row("bandwidth --hidden 5", "--hidden", "not an option of bandwidth");
        row("selftest --quick", "--quick", "--help");
        row("plan --output /no/such/folder/plan.txt", "/no/such/folder/plan.txt", "cannot be written");
        row("plan --output /tmp", "/tmp", "directory");
        row("memory", "--model: is missing", "allowed: llama3-8b");
        row("memory --model gpt4", "--model gpt4", "did you mean gpt3?");
        row("memory --model gpt3 --tp 7", "--tp 7: 96 attention heads", "allowed: --tp 6 or 8");
        row("memory --model gpt3 --tp 0", "--tp 0", "allowed: 1 to");
        row("memory --model gpt3 --tp eight", "--tp eight", "not a whole number");
        row("memory --model llama3-70b --pp 81", "--pp 81", "allowed: --pp 1 to 80");
        row("memory --model gpt3 --zero 4", "--zero 4", "allowed: 0, 1, 2, 3");
        row("memory --model gpt3 --zero 1", "--zero 1: with --dp 1", "allowed: --dp 2 or more");
        row("memory --model gpt3 --sequence-parallel on", "--tp 1", "allowed: --tp 2 or more");
        row("memory --model gpt3 --sequence-parallel yes", "--sequence-parallel yes", "allowed: off, on");
        row("memory --model gpt3 --tp 8 --sequence-parallel on --sequence 2049", "--sequence 2049",
            "allowed: --sequence 2048 or 2056");
        row("memory --model gpt3 --micro-batches 4", "--micro-batches 4", "allowed: --pp 2 or more");
        row("memory --model gpt3 --recompute some", "--recompute some", "allowed: none, selective, full");
        row("memory --model gpt3 --bytes-per-parameter 17", "--bytes-per-parameter 17", "allowed: 12, 16, 18");
        row("memory --model gpt3 --batch 65536 --sequence 1048576", "too many tokens", "--batch 32, or --sequence 512");
        row("memory --model gpt3 --dp 99999 --pp 2", "199998 GPUs", "allowed: 1 to 131072");
        row("memory --model gpt3 --hidden 4", "--hidden", "not an option of memory");
        row("memory --model gpt3 --hardware h100-8", "--hardware", "not an option of memory");
        row("memory --model gpt3 --format csv", "--format csv", "allowed: table, json");
        row("memory --modell gpt3", "--modell", "did you mean --model?");
        row("memory --model list --tp 8", "--tp", "no other option");
        row("run --model gpt3", "--model", "not an option of run");
        row("advise --model gpt3", "--gpus: is missing", "allowed: 1 to");
        row("advise --gpus 8", "--model: is missing", "allowed: llama3-8b");
        row("advise --model gpt3 --gpus 0", "--gpus 0", "allowed: 1 to");
        row("advise --model gpt3 --gpus 8 --hardware this", "--hardware this", "allowed: a100-8");
        row("advise --model gpt3 --gpus 8 --latency-ms 0", "--latency-ms 0", "allowed: 0.001 to 60000");
        row("advise --model gpt3 --gpus 8 --batch 65536", "--batch 65536: sequences of 2048 tokens",
            "allowed: --batch 16384\n");
        row("advise --model gpt3 --gpus 8 --tp 8", "--tp", "not an option of advise");
    }

    void badWords()
    {
        QFETCH(QString, words);
        QFETCH(QString, which);
        QFETCH(QString, allowed);
        const ProgramResult result = engine(words);
        QCOMPARE(result.status, 2);
        QVERIFY2(isOneLine(result), (result.out + "|" + result.err).constData());
        QVERIFY2(result.err.contains(which.toUtf8()), result.err.constData());
        QVERIFY2(result.err.contains(allowed.toUtf8()), result.err.constData());
    }

    /// A word with a line feed in it still makes one line, and one with an escape sequence steers no terminal.
    /// 128 ranks can be predicted and not run; a list is offered where all of it can be done.
    void whatIsOfferedCanBeDone()
    {
        QVERIFY(engine("run --ranks 65").err.contains("allowed: --ranks 64\n"));
        QVERIFY(engine("sweep --ranks 2,65").err.contains("allowed: --ranks 2,64\n"));
        QVERIFY(engine("predict --hardware h100-8 --ranks 65").err.contains("or --ranks 64 or 128\n"));
    }

    void aComplaintStaysOneLine()
    {
        QProcess process;
        process.start(QStringLiteral(ENGINE_PROGRAM), {"run", "--scheme", "two\nlines\033[2J"});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 2);
        const QByteArray err = process.readAllStandardError();
        QCOMPARE(err.count('\n'), 1);
        QVERIFY(!err.contains('\033'));
    }

    void anEmptyHardwareIsNoMachine()
    {
        QProcess process;
        process.start(QStringLiteral(ENGINE_PROGRAM), {"predict", "--hardware", ""});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 2);
        QVERIFY(process.readAllStandardError().contains("--hardware: needs a name"));
    }
};

QTEST_GUILESS_MAIN(TestCliRefusals)
#include "tst_cli_refusals.moc"
