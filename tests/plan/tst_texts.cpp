// SPDX-License-Identifier: MIT
#include "engine/plan/text.h"

#include <QRegularExpression>
#include <QTest>

#include <set>

using namespace shardscope;

namespace {

/// The indices of the placeholders in a template: "{0}", "{0#rank|ranks}", "{0:a}".
std::set<int> placeholders(std::string_view text)
{
    std::set<int> found;
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        if (text[i] == '{')
            found.insert(std::atoi(std::string(text.substr(i + 1, 2)).c_str()));
    }
    return found;
}

} // namespace

class TestTexts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void placeholdersAreContiguous();
    void bracesAreOnlyPlaceholders();
    void namesReadBack();
    void sentencesAreOneLine();
    void argumentsAreFilledIn();
    void wordsGoWithNumbers();
    void articlesGoWithWords();
};

void TestTexts::placeholdersAreContiguous()
{
    for (const TextId id : allTextIds()) {
        int next = 0;
        for (const int index : placeholders(englishTemplate(id)))
            QVERIFY2(index == next++, textName(id).data());
    }
}

void TestTexts::bracesAreOnlyPlaceholders()
{
    for (const TextId id : allTextIds()) {
        const std::string_view text = englishTemplate(id);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '{')
                continue;
            const std::string whole(text.substr(i, text.find('}', i) + 1 - i));
            static const QRegularExpression kinds("^\\{[0-9]{1,2}(#[^|{}]+\\|[^|{}]+|:a)?\\}$");
            QVERIFY2(kinds.match(QString::fromStdString(whole)).hasMatch(), textName(id).data());
        }
    }
}

void TestTexts::namesReadBack()
{
    std::set<std::string_view> names;
    for (const TextId id : allTextIds()) {
        TextId back{};
        QVERIFY(textIdFromName(textName(id), back));
        QVERIFY(back == id);
        QVERIFY2(names.insert(textName(id)).second, textName(id).data());
    }
    TextId untouched = TextId::NoReason;
    QVERIFY(!textIdFromName("NoSuchText", untouched));
}

void TestTexts::sentencesAreOneLine()
{
    for (const TextId id : allTextIds()) {
        const std::string_view text = englishTemplate(id);
        QVERIFY2(text.find('\n') == std::string_view::npos, textName(id).data());
        QVERIFY2(text.find("  ") == std::string_view::npos, textName(id).data());
        QVERIFY2(id == TextId::NoReason || !text.empty(), textName(id).data());
    }
}

void TestTexts::argumentsAreFilledIn()
{
    QCOMPARE(fillPlaceholders("{1} and {0} and {1}", {"a", "b"}), "b and a and b");
    QCOMPARE(fillPlaceholders("{0} {1}", {"{1}", "x"}), "{1} x"); // an argument is no template
    QCOMPARE(fillPlaceholders("{2} {", {"a"}), "{2} {");
    QCOMPARE(fillPlaceholders("{0:b} {0#", {"a"}), "{0:b} {0#");
    QCOMPARE(fillPlaceholders("{10} {10#rank|ranks}", {"", "", "", "", "", "", "", "", "", "", "1"}), "1 rank");
    QCOMPARE(english({TextId::OptionUnknownNear, {"hiden", "hidden"}}),
             "--hiden: no such option; did you mean --hidden?");
}

void TestTexts::wordsGoWithNumbers()
{
    const auto english2 = [](const char *count) { return fillPlaceholders("{0} {0#rank|ranks}", {count}); };
    QCOMPARE(english2("1"), "1 rank");
    for (const char *many : {"0", "2", "11", "21", "1.0", "1.5", "many", "", "123456789012345678901"})
        QCOMPARE(english2(many), std::string(many) + " ranks");
    QCOMPARE(english({TextId::MemoryRefused, {"1", "a", "b"}}),
             "1 rank needs about a of memory, b are available; up to 80 % of that may be used");
    // Three forms, as a translation into Russian lists them.
    const auto three = [](std::int64_t count) { return counted(count, "one|few|many"); };
    for (const std::int64_t count : {1, 21, 101, 1001})
        QCOMPARE(three(count), std::to_string(count) + " one");
    for (const std::int64_t count : {2, 3, 4, 22, 104})
        QCOMPARE(three(count), std::to_string(count) + " few");
    for (const std::int64_t count : {0, 5, 11, 12, 14, 20, 25, 111, 1000})
        QCOMPARE(three(count), std::to_string(count) + " many");
    QCOMPARE(counted(3, "GPU"), "3 GPU"); // one form for all
}

void TestTexts::articlesGoWithWords()
{
    QCOMPARE(fillPlaceholders("needs {0:a}", {"all_gather"}), "needs an all_gather");
    QCOMPARE(fillPlaceholders("needs {0:a}", {"reduce_scatter"}), "needs a reduce_scatter");
    QCOMPARE(withArticle("broadcast"), "a broadcast");
}

QTEST_GUILESS_MAIN(TestTexts)
#include "tst_texts.moc"
