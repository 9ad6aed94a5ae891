// SPDX-License-Identifier: MIT
#include "tests/record/one_of_each_kind.h"

#include "engine/record/codec.h"

#include <QTest>
#include <algorithm>
#include <clocale>
#include <limits>
#include <rapidcheck.h>
#include <set>

using namespace shardscope;

namespace {

/// What a decoder made of some bytes.
struct Decoded {
    std::vector<Event> events;
    std::vector<std::pair<int, Text>> problems;
};

void feed(Decoder &decoder, std::string_view bytes, Decoded &decoded)
{
    decoder.feed(
        bytes, [&](Event &&event) { decoded.events.push_back(std::move(event)); },
        [&](int line, const Text &problem) { decoded.problems.emplace_back(line, problem); });
}

void finish(Decoder &decoder, Decoded &decoded)
{
    decoder.finish([&](int line, const Text &problem) { decoded.problems.emplace_back(line, problem); });
}

Decoded decode(std::string_view bytes)
{
    Decoder decoder;
    Decoded decoded;
    feed(decoder, bytes, decoded);
    finish(decoder, decoded);
    return decoded;
}

std::string linesOf(const std::vector<Event> &events)
{
    std::string bytes;
    for (const Event &event : events)
        bytes += encode(event);
    return bytes;
}

constexpr const char *kGoodLine = R"({"kind":"iteration","rank":1,"iteration":2,"start_ns":3,"end_ns":4})";
const Event kGoodEvent = IterationEvent{1, 2, false, 3, 4};

} // namespace

class TestCodec : public QObject
{
    Q_OBJECT

private slots:
    void everyKindRoundTrips()
    {
        const auto events = oneOfEachKind();
        std::set<std::size_t> kinds;
        for (const Event &event : events)
            kinds.insert(event.index());
        QCOMPARE(kinds.size(), std::variant_size_v<Event>);

        const Decoded decoded = decode(linesOf(events));
        QVERIFY(decoded.problems.empty());
        QCOMPARE(decoded.events.size(), events.size());
        for (std::size_t i = 0; i < events.size(); ++i)
            QVERIFY2(decoded.events[i] == events[i], encode(events[i]).c_str());
    }

    void linesAreReadable()
    {
        QCOMPARE(encode(Event(SpanEvent{1, 3, false, 4, 1500, 2500, 0, "all_reduce", 64, 32, "f32"})),
                 std::string(R"({"kind":"span","rank":1,"iteration":3,"step":4,"start_ns":1500,"end_ns":2500,)"
                             R"("op":"all_reduce","payload_bytes":64,"sent_bytes":32,"wire_dtype":"f32"})"
                             "\n"));
        QCOMPARE(encode(Event(CheckEvent{"Y", 4.5e-7, 1e-5, true})),
                 std::string(R"({"kind":"check","name":"Y","relative_error":4.5e-07,"limit":1e-05,"passed":true})"
                             "\n"));
        QCOMPARE(encode(Event(ProgressEvent{{TextId::StreamLineNotJson, {"a"}}, 0.5})),
                 std::string(R"({"kind":"progress","stage":{"id":"StreamLineNotJson","args":["a"]},"fraction":0.5})"
                             "\n"));
    }

    void spansRoundTrip()
    {
        QVERIFY(rc::check("any span comes back as it went", [] {
            // ASCII with control characters: whatever is no UTF-8 is replaced, see below.
            const auto word = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
            const SpanEvent span{*rc::gen::arbitrary<int>(),
                                 *rc::gen::arbitrary<int>(),
                                 *rc::gen::arbitrary<bool>(),
                                 *rc::gen::arbitrary<int>(),
                                 *rc::gen::arbitrary<std::int64_t>(),
                                 *rc::gen::arbitrary<std::int64_t>(),
                                 *rc::gen::arbitrary<std::int64_t>(),
                                 word,
                                 *rc::gen::arbitrary<std::int64_t>(),
                                 *rc::gen::arbitrary<std::int64_t>(),
                                 "f32"};
            const Decoded decoded = decode(encode(Event(span)));
            RC_ASSERT(decoded.problems.empty());
            RC_ASSERT(decoded.events == std::vector<Event>{span});
        }));
    }

    void splitAtEveryPosition()
    {
        const auto events = oneOfEachKind();
        const std::string bytes = linesOf(events);
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            Decoder decoder;
            Decoded decoded;
            feed(decoder, std::string_view(bytes).substr(0, cut), decoded);
            feed(decoder, std::string_view(bytes).substr(cut), decoded);
            finish(decoder, decoded);
            QVERIFY2(decoded.problems.empty() && decoded.events == events, std::to_string(cut).c_str());
        }
    }

    void byteByByte()
    {
        const auto events = oneOfEachKind();
        Decoder decoder;
        Decoded decoded;
        for (const char byte : linesOf(events))
            feed(decoder, std::string_view(&byte, 1), decoded);
        finish(decoder, decoded);
        QVERIFY(decoded.problems.empty());
        QVERIFY(decoded.events == events);
    }

    void truncatedAtEveryPosition()
    {
        const auto events = oneOfEachKind();
        const std::string bytes = linesOf(events);
        for (std::size_t length = 0; length <= bytes.size(); ++length) {
            const std::string_view prefix = std::string_view(bytes).substr(0, length);
            const auto whole = static_cast<std::size_t>(std::count(prefix.begin(), prefix.end(), '\n'));
            const Decoded decoded = decode(prefix);
            QCOMPARE(decoded.events.size(), whole);
            QVERIFY(std::equal(decoded.events.begin(), decoded.events.end(), events.begin()));
            const bool cutOff = !prefix.empty() && prefix.back() != '\n';
            QCOMPARE(decoded.problems.size(), std::size_t{cutOff});
            if (cutOff) {
                QCOMPARE(decoded.problems.front().first, static_cast<int>(whole) + 1);
                QCOMPARE(decoded.problems.front().second.id, TextId::StreamLineCutOff);
            }
        }
    }

    void foreignLinesAreRead_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("other order") << QByteArray(
            R"({"end_ns":4,"start_ns":3,"iteration":2,"rank":1,"kind":"iteration"})");
        QTest::newRow("unknown fields") << QByteArray(
            R"({"new":{"a":[1,{"rank":9}]},"kind":"iteration","rank":1,"x":null,"iteration":2,"start_ns":3,"end_ns":4})");
        QTest::newRow("spaces and CR") << QByteArray(
            "  { \"kind\" : \"iteration\", \"rank\":1 ,\"iteration\":2,\"start_ns\":3,\"end_ns\":4 } \r");
        QTest::newRow("null for absent") << QByteArray(
            R"({"kind":"iteration","rank":1,"iteration":2,"warmup":null,"start_ns":3,"end_ns":4})");
    }
    void foreignLinesAreRead()
    {
        QFETCH(QByteArray, line);
        const Decoded decoded = decode(line.toStdString() + "\n");
        QVERIFY(decoded.problems.empty());
        QVERIFY(decoded.events == std::vector<Event>{kGoodEvent});
    }

    void hostsAreRead()
    {
        const Decoded decoded = decode(
            R"({"kind":"hello","protocol":1,"machine":{"hosts":[{"name":"a","ranks":[0,1],"rack":7},{"ranks":[],"name":"b"}]}})"
            "\n");
        QVERIFY(decoded.problems.empty());
        const auto &hosts = std::get<HelloEvent>(decoded.events.front()).machine.hosts;
        QVERIFY(hosts == (std::vector<Host>{{"a", {0, 1}, 0, 0}, {"b", {}, 0, 0}}));
    }

    void unknownKindsAreSkipped()
    {
        const Decoded decoded =
            decode(std::string(R"({"kind":"hologram","rank":"left"})") + "\n\n \n" + kGoodLine + "\n");
        QVERIFY(decoded.problems.empty());
        QVERIFY(decoded.events == std::vector<Event>{kGoodEvent});
    }

    void badLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const char *line, const char *says) {
            QTest::newRow(name) << QByteArray(line) << QString(says);
        };
        row("no JSON", "Segmentation fault", "not a JSON object");
        row("half a line", "{\"kind\":\"iteration\",\"rank\":1,\"iter", "not a JSON object");
        row("two objects", R"({"kind":"a"}{"kind":"b"})", "not a JSON object");
        row("array", "[1,2]", "not a JSON object");
        row("number", "17", "not a JSON object");
        row("no kind", R"({"rank":1})", "\"kind\" is missing");
        row("kind is a number", R"({"kind":1})", "\"kind\" must be");
        row("missing", R"({"kind":"iteration","rank":1,"iteration":2,"end_ns":4})",
            "iteration: \"start_ns\" is missing");
        row("null", R"({"kind":"iteration","rank":null,"iteration":2,"start_ns":3,"end_ns":4})", "\"rank\" is missing");
        row("text for number", R"({"kind":"iteration","rank":"1","iteration":2,"start_ns":3,"end_ns":4})",
            "\"rank\" must be a whole number");
        row("fraction", R"({"kind":"iteration","rank":1.5,"iteration":2,"start_ns":3,"end_ns":4})", "\"rank\" must be");
        row("beyond int", R"({"kind":"iteration","rank":4294967297,"iteration":2,"start_ns":3,"end_ns":4})",
            "\"rank\" must be");
        row("beyond int64", R"({"kind":"iteration","rank":1,"iteration":2,"start_ns":3,"end_ns":9223372036854775808})",
            "\"end_ns\" must be");
        row("beyond uint64",
            R"({"kind":"iteration","rank":1,"iteration":2,"start_ns":3,"end_ns":99999999999999999999})",
            "not a JSON object");
        row("beyond double", R"({"kind":"check","name":"Y","relative_error":1e999,"limit":1,"passed":true})",
            "not a JSON object");
        row("NaN", R"({"kind":"check","name":"Y","relative_error":NaN,"limit":1,"passed":true})", "not a JSON object");
        row("boolean", R"({"kind":"check","name":"Y","relative_error":1,"limit":1,"passed":1})",
            "\"passed\" must be true or false");
        row("unknown word", R"({"kind":"end","id":"1","status":"perhaps"})", "\"status\" must be a word");
        row("text without id", R"({"kind":"progress","stage":{"args":[]}})", "\"stage\" must be a text");
        row("host without ranks", R"({"kind":"hello","protocol":1,"machine":{"hosts":[{"name":"a"}]}})",
            "\"machine\" must be a machine");
        row("GPU without a name", R"({"kind":"topology","gpus":[{"bus_id":"a"}]})", "\"gpus\" must be a GPU");
        row("paths that are no list", R"({"kind":"topology","paths":{}})", "\"paths\" must be a list");
        row("list of texts", R"({"kind":"baseline","step":1,"transfer_ns":["a"]})", "\"transfer_ns\" must be a list");
        row("no UTF-8", "{\"kind\":\"check\",\"name\":\"\xFF\",\"relative_error\":1,\"limit\":1,\"passed\":true}",
            "not a JSON object");
        row("deep", std::string(5000, '[').c_str(), "not a JSON object");
    }
    void badLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, says);
        const Decoded decoded = decode(std::string(kGoodLine) + "\n" + line.toStdString() + "\n" + kGoodLine + "\n");
        QVERIFY(decoded.events == (std::vector<Event>{kGoodEvent, kGoodEvent}));
        QCOMPARE(decoded.problems.size(), std::size_t{1});
        QCOMPARE(decoded.problems.front().first, 2);
        const QString problem = QString::fromStdString(english(decoded.problems.front().second));
        QVERIFY2(problem.contains(says), qPrintable(problem));
    }

    void newerMajorVersionIsRefused()
    {
        const std::string newer = R"({"kind":"hello","protocol":2,"engine":{"name":"other"}})";
        const std::string known = R"({"kind":"hello","protocol":1,"minor":99,"engine":"0.9"})";
        const Decoded decoded =
            decode(newer + "\n" + kGoodLine + "\n{\"kind\":\"span\"}\n" + known + "\n" + kGoodLine + "\n");
        QCOMPARE(decoded.problems.size(), std::size_t{1});
        QCOMPARE(decoded.problems.front().first, 1);
        const QString problem = QString::fromStdString(english(decoded.problems.front().second));
        QVERIFY2(problem.contains("version 2") && problem.contains("version 1"), qPrintable(problem));
        // Nothing of the refused stream is read; one that this version knows is, after it.
        QVERIFY(decoded.events == (std::vector<Event>{HelloEvent{1, 99, "0.9", {}}, kGoodEvent}));
    }

    void noNumberIsEverNaN()
    {
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()}) {
            const Decoded decoded = decode(encode(Event(CheckEvent{"Y", bad, 1e-5, false})));
            QVERIFY(decoded.problems.empty());
            QVERIFY(decoded.events == (std::vector<Event>{CheckEvent{"Y", -1, 1e-5, false}}));
        }
    }

    void unknownTextKeepsItsWords()
    {
        const Decoded decoded = decode(
            R"({"kind":"message","level":"error","text":{"id":"FromTheFuture","args":["rank 3","melted"]},"detail":"hot"})"
            "\n");
        QCOMPARE(decoded.events.size(), std::size_t{1});
        const auto &message = std::get<MessageEvent>(decoded.events.front());
        const QString said = QString::fromStdString(english(message.text));
        QVERIFY2(said.contains("FromTheFuture") && said.contains("rank 3, melted"), qPrintable(said));
        QCOMPARE(message.detail, std::string("hot"));
        QCOMPARE(message.remedy.id, TextId::NoReason);
    }

    void brokenEncodingStaysReadable()
    {
        const std::string line =
            encode(Event(MessageEvent{MessageEvent::Level::Info, -1, {}, {}, "a\xFF\xC3(\xE2\x82"}));
        const Decoded decoded = decode(line);
        QCOMPARE(decoded.events.size(), std::size_t{1});
        const std::string &detail = std::get<MessageEvent>(decoded.events.front()).detail;
        QVERIFY(detail.starts_with("a\xEF\xBF\xBD") && detail.find('(') != std::string::npos);
    }

    void endlessLineIsSkipped()
    {
        Decoder decoder;
        Decoded decoded;
        const std::string piece(1 << 20, 'x');
        for (int i = 0; i < 20; ++i)
            feed(decoder, piece, decoded);
        feed(decoder, std::string("\n") + kGoodLine + "\n", decoded);
        finish(decoder, decoded);
        QCOMPARE(decoded.problems.size(), std::size_t{1});
        QCOMPARE(decoded.problems.front().second.id, TextId::StreamLineTooLong);
        QVERIFY(decoded.events == std::vector<Event>{kGoodEvent});
        QCOMPARE(decoder.line(), 2);

        Decoded withoutEnd;
        for (int i = 0; i < 20; ++i)
            feed(decoder, piece, withoutEnd);
        finish(decoder, withoutEnd);
        QCOMPARE(withoutEnd.problems.size(), std::size_t{1});
        QCOMPARE(withoutEnd.problems.front().second.id, TextId::StreamLineTooLong);
    }

    void anyBytesAreSurvived()
    {
        QVERIFY(rc::check("random bytes give problems, never a crash", [] {
            const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
            const Decoded decoded = decode(bytes + "\n" + kGoodLine + "\n");
            RC_ASSERT(decoded.events.size() >= 1U);
            RC_ASSERT(decoded.events.back() == kGoodEvent);
            for (const auto &[line, problem] : decoded.problems)
                RC_ASSERT(line >= 1 && line <= static_cast<int>(std::count(bytes.begin(), bytes.end(), '\n')) + 1);
        }));
        // Without the hello: a damaged version number refuses all that follows.
        auto events = oneOfEachKind();
        events.erase(events.begin());
        const std::string good = linesOf(events);
        QVERIFY(rc::check("damaged lines lose only themselves", [&good] {
            std::string bytes = good;
            const int damages = *rc::gen::inRange(1, 4);
            for (int i = 0; i < damages; ++i)
                bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
            const auto lines = static_cast<std::size_t>(std::count(good.begin(), good.end(), '\n'));
            const Decoded decoded = decode(bytes);
            RC_ASSERT(decoded.events.size() + 2 * static_cast<std::size_t>(damages) >= lines);
        }));
    }

    void decimalCommaChangesNothing()
    {
        const std::string bytes = linesOf(oneOfEachKind());
        const std::string before = std::setlocale(LC_ALL, nullptr);
        if (!std::setlocale(LC_ALL, "de_DE.UTF-8"))
            QSKIP("no German locale here; packaging/setup.sh generates it");
        const std::string point = std::localeconv()->decimal_point;
        const std::string germanBytes = linesOf(oneOfEachKind());
        const bool same = decode(germanBytes).events == oneOfEachKind();
        std::setlocale(LC_ALL, before.c_str());
        QCOMPARE(point, std::string(","));
        QCOMPARE(germanBytes, bytes);
        QVERIFY(same);
    }
};

QTEST_GUILESS_MAIN(TestCodec)
#include "tst_codec.moc"
