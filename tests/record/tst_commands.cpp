// SPDX-License-Identifier: MIT
// The commands that `serve` reads.
#include "engine/record/codec.h"

#include <QTest>

using namespace shardscope;

class TestCommands : public QObject
{
    Q_OBJECT

private slots:
    void commandsRoundTrip()
    {
        const RunCommand run{"7", {{"hidden", "4096"}, {"scheme", "row"}}, 1.5};
        const auto back = decodeCommand(encode(Command(run)));
        QVERIFY(back.ok());
        QCOMPARE(std::get<RunCommand>(*back).id, run.id);
        QVERIFY(std::get<RunCommand>(*back).experiment == run.experiment);
        QCOMPARE(std::get<RunCommand>(*back).budgetSeconds, 1.5);
        QVERIFY(std::holds_alternative<CancelCommand>(*decodeCommand(encode(Command(CancelCommand{})))));
        const auto cancel = decodeCommand(encode(Command(CancelCommand{"7"})));
        QCOMPARE(std::get<CancelCommand>(*cancel).id, std::string("7"));
        QVERIFY(std::get<CancelCommand>(*decodeCommand(R"({"command":"cancel"})")).id.empty());
        QVERIFY(std::holds_alternative<QuitCommand>(*decodeCommand(encode(Command(QuitCommand{})))));
        const auto measure = decodeCommand(encode(Command(MeasureCommand{"m", 4, DType::F64})));
        QVERIFY(measure.ok());
        QCOMPARE(std::get<MeasureCommand>(*measure).ranks, 4);
        QCOMPARE(std::get<MeasureCommand>(*measure).dtype, DType::F64);
    }

    void commandsTakeTheExperimentOfADocument()
    {
        const auto command = decodeCommand(
            R"({"command":"run","id":"3","experiment":{"hidden":4096,"gather_output":true,"bias":false,"delay":null}})");
        QVERIFY(command.ok());
        const auto &run = std::get<RunCommand>(*command);
        QCOMPARE(run.id, std::string("3"));
        QVERIFY(run.experiment == (OptionValues{{"hidden", "4096"}, {"gather-output", "on"}, {"bias", "off"}}));
    }

    void badCommands_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << QByteArray("run") << "not a JSON object";
        QTest::newRow("empty") << QByteArray("") << "not a JSON object";
        QTest::newRow("no command") << QByteArray("{}") << "\"command\" is missing";
        QTest::newRow("unknown") << QByteArray(R"({"command":"dance"})") << "run, cancel, quit, measure";
        QTest::newRow("no experiment") << QByteArray(R"({"command":"run","id":"1"})") << "\"experiment\" must be given";
        QTest::newRow("experiment is a list")
            << QByteArray(R"({"command":"run","experiment":[1]})") << "\"experiment\"";
        QTest::newRow("run 3") << QByteArray(R"({"command":"run","id":3,"experiment":{}})")
                               << "command run: \"id\" must be a text in quotes";
        QTest::newRow("measure 3") << QByteArray(R"({"command":"measure","id":3})") << "\"id\" must be a text";
        QTest::newRow("cancel 3") << QByteArray(R"({"command":"cancel","id":3})") << "\"id\" must be a text";
        QTest::newRow("no ranks") << QByteArray(R"({"command":"measure","ranks":0})") << "at least 1";
    }
    void badCommands()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, says);
        const auto command = decodeCommand(line.toStdString());
        QVERIFY(!command.ok());
        const QString problem = QString::fromStdString(english(command.problem()));
        QVERIFY2(problem.contains(says), qPrintable(problem));
    }
};

QTEST_GUILESS_MAIN(TestCommands)
#include "tst_commands.moc"
