// SPDX-License-Identifier: MIT
// Tables, bars, units and grids, apart from the program.
#include "engine/cli/arguments.h"
#include "engine/cli/points.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace shardscope;
using namespace shardscope::cli;

class TestCliParts : public QObject
{
    Q_OBJECT

private slots:
    void units()
    {
        QCOMPARE(bytesText(0), std::string("0 B"));
        QCOMPARE(bytesText(1023), std::string("1023 B"));
        QCOMPARE(bytesText(1572864), std::string("1.5 MiB"));
        QCOMPARE(bytesText(std::int64_t{1} << 62), std::string("4 EiB"));
        QCOMPARE(durationText(999), std::string("999 ns"));
        QCOMPARE(durationText(317400), std::string("317 us"));
        QCOMPARE(durationText(1.72e6), std::string("1.72 ms"));
        QCOMPARE(durationText(65e9), std::string("65 s"));
        QCOMPARE(durationText(std::nullopt), std::string("-"));
        QCOMPARE(bandwidthText(0.00521), std::string("0.00521 GB/s"));
        QCOMPARE(ratioText(2.0), std::string("2.0 x")); // as the findings under the table write it
        QCOMPARE(ratioText(std::nullopt), std::string("-"));
        QCOMPARE(percentText(0.354), std::string("35 %"));
        QCOMPARE(scientificText(3.14e-7), std::string("3.1e-07"));
        QCOMPARE(scientificText(-1), std::string("NaN"));
    }

    void barsHaveTheirWidth()
    {
        const bool holds = rc::check("whatever the share, a bar takes its cells", [] {
            Console console;
            console.unicode = *rc::gen::arbitrary<bool>();
            const double share = *rc::gen::inRange(-50, 150) / 100.0;
            const int cells = *rc::gen::inRange(1, 40);
            RC_ASSERT(columnsOf(console.bar(share, cells)) == static_cast<std::size_t>(cells));
        });
        QVERIFY(holds);
        QCOMPARE(Console{}.bar(0.5, 4), std::string("##.."));
    }

    void columnsAreAligned()
    {
        TextTable table({{.title = "name"}, {.title = "size", .right = true}});
        table.add({"W", "1 B"});
        table.add({"größer", "100 KiB"});
        QCOMPARE(table.text(Console{}, 0), std::string("name       size\n"
                                                       "W           1 B\n"
                                                       "größer  100 KiB\n"));
    }

    void narrowTerminalsLoseTheLeastImportantColumn()
    {
        TextTable table({{.title = "pass"}, {.title = "minor", .importance = 1}, {.title = "major", .importance = 5}});
        table.add({"forward", "aaaaaaaaaa", "bbbbbbbbbb"});
        Console console;
        console.width = 22;
        const std::string text = table.text(console, 0);
        QVERIFY(text.find("minor") == std::string::npos);
        QVERIFY(text.find("major") != std::string::npos);
        console.width = 5; // what stays, stays
        QVERIFY(table.text(console, 0).find("forward") != std::string::npos);
    }

    void wrappedTextFitsAndLosesNothing()
    {
        const bool holds = rc::check("no line is wider than the terminal, no word is lost", [] {
            Console console;
            console.width = *rc::gen::inRange(40, 120);
            const int indent = *rc::gen::inRange(0, 20);
            const auto words = *rc::gen::container<std::vector<std::string>>(
                rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
            std::string text;
            for (const std::string &word : words)
                text += (text.empty() ? "" : " ") + word.substr(0, 15);
            std::string lines = console.wrapped(text, indent);
            std::size_t column = static_cast<std::size_t>(indent);
            for (const char c : lines) {
                column = c == '\n' ? 0 : column + 1;
                RC_ASSERT(column <= static_cast<std::size_t>(console.width));
            }
            std::erase_if(lines, [](char c) { return c == ' ' || c == '\n'; });
            std::erase(text, ' ');
            RC_ASSERT(lines == text);
        });
        QVERIFY(holds);
    }

    void withoutColourNoEscapes()
    {
        Console console;
        QCOMPARE(console.bad("x"), std::string("x"));
        console.colour = true;
        QVERIFY(console.bad("x") != "x");
        QCOMPARE(columnsOf(console.bad("x")), std::size_t{1});
    }

    void gridsVaryTheirLastOptionFastest()
    {
        const Grid grid = readGrid({{"phase", "training,decode"}, {"ranks", "1,2"}, {"steps", "3,4"}});
        QCOMPARE(grid.points.size(), std::size_t{8});
        QCOMPARE(grid.points[1].steps, 4);
        QCOMPARE(grid.points[2].ranks(), 2);
        QCOMPARE(grid.points[3].phase, Phase::Training);
        QCOMPARE(grid.points[4].phase, Phase::Decode);
        QCOMPARE(grid.extraColumns, std::vector<std::string>{"steps"});
    }

    /// A mesh holds commas itself.
    void meshesAreSeparatedBySemicolons()
    {
        const Grid grid = readGrid({{"mesh", "tp=2;tp=4"}});
        QCOMPARE(grid.points.size(), std::size_t{2});
        QCOMPARE(grid.points[0].ranks(), 2);
        QCOMPARE(grid.points[1].ranks(), 4);
        QCOMPARE(grid.extraColumns, std::vector<std::string>{"mesh"});
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"mesh", "tp=2,tp=4"}}), Failure);
    }

    void gridsAreValidatedAsAWhole()
    {
        // 96 is divisible by 2 and 3 but not by 5: the third point spoils the sweep before the first runs.
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"ranks", "2,3,5"}, {"hidden", "24"}, {"ffn", "96"}}), Failure);
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"scheme", "row"}, {"gather-output", "on"}}), Failure);
        QCOMPARE(readGrid({{"scheme", "row,column"}, {"gather-output", "on"}}).points.size(), std::size_t{2});
    }

    /// Of two options that the first point does not use the one that no point uses.
    void theUnusedOptionIsNamed()
    {
        try {
            (void)readGrid({{"scheme", "row,column"}, {"phase", "decode"}, {"gather-output", "on"}, {"mlp", "swiglu"}});
            QFAIL("accepted");
        } catch (const Failure &failure) {
            QVERIFY2(failure.line.starts_with("--mlp"), failure.line.c_str());
        }
        try {
            (void)readGrid(
                {{"scheme", "row,column"}, {"phase", "decode"}, {"gather-output", "on"}, {"input-gradient", "off"}});
            QFAIL("accepted");
        } catch (const Failure &failure) {
            QVERIFY2(failure.line.starts_with("--input-gradient"), failure.line.c_str());
        }
    }

    void anEndlessGridIsRefused()
    {
        std::string many = "1";
        for (int i = 2; i <= 200; ++i)
            many += ',' + std::to_string(i);
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"batch", many}, {"sequence", many}}), Failure);
    }

    void phasesOfAComparison()
    {
        const std::vector<Experiment> phases = readPhases({{"scheme", "column"}, {"input-gradient", "off"}}).points;
        QCOMPARE(phases.size(), std::size_t{3});
        QVERIFY(!phases[0].inputGradient);
        QCOMPARE(phases[2].phase, Phase::Decode);
    }
};

QTEST_GUILESS_MAIN(TestCliParts)
#include "tst_cli_parts.moc"
