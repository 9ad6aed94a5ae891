// SPDX-License-Identifier: MIT
#include "engine/simulate/hardware.h"

#include <QtTest>

#include <cmath>

using namespace shardscope;

class TestHardware : public QObject
{
    Q_OBJECT

private slots:
    void presetsOfTheContract_data()
    {
        QTest::addColumn<double>("allReduceGBs"); // tensor-parallelism reference table: bus bandwidth of large messages
        QTest::addColumn<double>("gatherGBs");
        QTest::addColumn<double>("bf16Tflops");
        QTest::newRow("a100-8") << 235.0 << 235.0 << 312.0;
        QTest::newRow("h100-8") << 367.0 << 362.0 << 990.0;
        QTest::newRow("h100-8-nvls") << 480.0 << 362.0 << 990.0;
        QTest::newRow("b200-8") << 838.0 << 680.0 << 2250.0;
        QTest::newRow("pcie5-8") << 40.0 << 40.0 << 500.0;
    }

    void presetsOfTheContract()
    {
        QFETCH(double, allReduceGBs);
        QFETCH(double, gatherGBs);
        QFETCH(double, bf16Tflops);
        const Hardware *preset = findHardware(QTest::currentDataTag());
        QVERIFY(preset != nullptr);
        const auto best = [](const std::vector<LinkCost> &links) {
            double most = 0;
            for (const LinkCost &link : links)
                most = std::max(most, link.busbwGBs);
            return most;
        };
        QCOMPARE(best(preset->allReduce), allReduceGBs);
        QCOMPARE(best(preset->gatherScatter), gatherGBs);
        QCOMPARE(preset->peakFlops.at(DType::BF16), bf16Tflops * 1e12);
        QCOMPARE(preset->devices, 8);
        QCOMPARE(preset->transport, Transport::Nccl);
        QVERIFY(preset->sources.size() >= 3);
    }

    void everyPresetIsListedOnce()
    {
        QVERIFY(hardwarePresets().size() >= 5);
        QVERIFY(findHardware("this") == nullptr);
        QVERIFY(findHardware("H100-8") == nullptr);
    }

    void whatIsWrittenIsReadBack()
    {
        for (const Hardware &preset : hardwarePresets()) {
            const Expected<Hardware> again = parseHardware(toJson(preset));
            QVERIFY(again.ok());
            QCOMPARE(again->name, preset.name);
            QCOMPARE(again->title, preset.title);
            QCOMPARE(again->sources, preset.sources);
            QCOMPARE(again->allReduce.size(), preset.allReduce.size());
            for (std::size_t i = 0; i < preset.allReduce.size(); ++i) {
                QCOMPARE(again->allReduce[i].protocol, preset.allReduce[i].protocol);
                QCOMPARE(again->allReduce[i].inSwitch, preset.allReduce[i].inSwitch);
                // Microseconds in the file, seconds in memory: QCOMPARE of doubles allows the last digit to differ.
                QCOMPARE(again->allReduce[i].alphaSeconds + 1, preset.allReduce[i].alphaSeconds + 1);
                QCOMPARE(again->allReduce[i].baseSeconds * 1e6, preset.allReduce[i].baseSeconds * 1e6);
                QCOMPARE(again->allReduce[i].busbwGBs, preset.allReduce[i].busbwGBs);
            }
            for (const auto &[dtype, flops] : preset.peakFlops)
                QCOMPARE(again->peakFlops.at(dtype), flops);
            QCOMPARE(again->memoryBytesPerSecond, preset.memoryBytesPerSecond);
            QCOMPARE(again->memoryBytes, preset.memoryBytes);
            QCOMPARE(again->sharedCores, preset.sharedCores);
        }
    }

    /// What nvidia-smi reports: an "80 GB" card has neither 80e9 bytes nor 80 GiB.
    void memoryIsWhatTheDriverReports()
    {
        for (const auto &[name, mebibytes] : {std::pair("a100-8", 81920),
                                              {"h100-8", 81559},
                                              {"h100-8-nvls", 81559},
                                              {"b200-8", 183359},
                                              {"pcie5-8", 97887}}) {
            QCOMPARE(std::lround(findHardware(name)->memoryBytes), mebibytes * 1024L * 1024L);
        }
    }

    void brokenFilesNameTheKey_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("named");
        QTest::newRow("missing") << QByteArray("\"devices\"") << QByteArray("\"gadgets\"") << QByteArray("devices");
        QTest::newRow("negative") << QByteArray("\"memory_GBps\": 3350") << QByteArray("\"memory_GBps\": -1")
                                  << QByteArray("memory_GBps");
        QTest::newRow("no number") << QByteArray("\"efficiency\": 0.65") << QByteArray("\"efficiency\": \"much\"")
                                   << QByteArray("efficiency");
        QTest::newRow("transport") << QByteArray("\"nccl\"") << QByteArray("\"pigeons\"") << QByteArray("transport");
        QTest::newRow("no such format") << QByteArray("\"f32\"") << QByteArray("\"f31\"") << QByteArray("peak_tflops");
        QTest::newRow("half a device") << QByteArray("\"devices\": 8") << QByteArray("\"devices\": 0.5")
                                       << QByteArray("devices");
        QTest::newRow("countless devices")
            << QByteArray("\"devices\": 8") << QByteArray("\"devices\": 8e300") << QByteArray("devices");
        QTest::newRow("no yes or no") << QByteArray("\"in_switch\": true") << QByteArray("\"in_switch\": 1")
                                      << QByteArray("in_switch");
        QTest::newRow("nothing but the switch")
            << QByteArray("\"hop_us\"") << QByteArray("\"in_switch\": true, \"us\"") << QByteArray("all_reduce");
        QTest::newRow("schema") << QByteArray("\"schema\": 1") << QByteArray("\"schema\": 2") << QByteArray("schema");
    }

    void brokenFilesNameTheKey()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QByteArray, named);
        QByteArray text = QByteArray::fromStdString(toJson(*findHardware("h100-8-nvls")));
        // toJson writes doubles; the replacement needs the text as it is there.
        text.replace("3350.0", "3350");
        QVERIFY2(text.contains(from), text.constData());
        const Expected<Hardware> read = parseHardware(text.replace(from, to).toStdString());
        QVERIFY(!read.ok());
        QVERIFY2(english(read.problem()).find(named.toStdString()) != std::string::npos,
                 english(read.problem()).c_str());
    }

    void noJsonAtAll()
    {
        QVERIFY(!parseHardware("").ok());
        QVERIFY(!parseHardware("{").ok());
        QVERIFY(!parseHardware("[]").ok());
        QVERIFY(!parseHardware("42").ok());
    }

    void aSharedMachineIsDivided()
    {
        Hardware machine = *findHardware("pcie5-8");
        machine.sharedCores = 2;
        const Hardware share = shareOf(machine, 4);
        QCOMPARE(share.peakFlops.at(DType::F32), machine.peakFlops.at(DType::F32) / 4);
        QCOMPARE(share.memoryBytesPerSecond, machine.memoryBytesPerSecond / 4);
        // Four ranks take turns on two cores: every hop takes twice as long.
        QCOMPARE(share.allReduce.front().alphaSeconds, machine.allReduce.front().alphaSeconds * 2);
        QCOMPARE(share.allReduce.front().busbwGBs, machine.allReduce.front().busbwGBs / 2);
        // The share is a rank's own and is not divided again.
        QCOMPARE(toJson(shareOf(share, 4)), toJson(share));
    }

    void devicesOfTheirOwnAreNotDivided()
    {
        const Hardware &preset = *findHardware("h100-8");
        QCOMPARE(toJson(shareOf(preset, 8)), toJson(preset));
    }
};

QTEST_GUILESS_MAIN(TestHardware)
#include "tst_hardware.moc"
