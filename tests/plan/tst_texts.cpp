// SPDX-License-Identifier: MIT
#include "engine/plan/text.h"

#include <QTest>

#include <set>

using namespace shardscope;

namespace {

/// The indices of the placeholders in a template.
std::set<int> placeholders(std::string_view text)
{
    std::set<int> found;
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        if (text[i] == '{' && text[i + 2] == '}')
            found.insert(text[i + 1] - '0');
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
            if (text[i] == '{')
                QVERIFY2(i + 2 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9' && text[i + 2] == '}',
                         textName(id).data());
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
    QCOMPARE(english({TextId::OptionUnknownNear, {"hiden", "hidden"}}),
             "--hiden: no such option; did you mean --hidden?");
}

QTEST_GUILESS_MAIN(TestTexts)
#include "tst_texts.moc"
