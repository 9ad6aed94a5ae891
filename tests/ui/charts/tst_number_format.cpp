// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/texts.h"
#include "ui/theme.h"

#include <QtTest>
#include <cmath>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

/// No-break spaces written as plain ones, so that expectations stay readable.
QString plain(QString text)
{
    return text.replace(QChar(0x00A0), QLatin1Char(' '));
}

} // namespace

class TestNumberFormat : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void sentencesWriteMicroseconds()
    {
        const QString words = sentence({TextId::CrossoverNever, {"4", "us", "41 us", "7 us"}});
        QVERIFY2(words.contains(QStringLiteral("at no us from 41 µs to 7 µs")), qPrintable(words));
    }
    void durations()
    {
        QCOMPARE(plain(formatDuration(0)), "0 ns");
        QCOMPARE(plain(formatDuration(640)), "640 ns");
        QCOMPARE(plain(formatDuration(12'345)), "12.3 µs");
        QCOMPARE(plain(formatDuration(4'100'000)), "4.1 ms");
        QCOMPARE(plain(formatDuration(1.25e9)), "1.25 s");
        QCOMPARE(plain(formatDuration(999.7)), "1 µs");
        QCOMPARE(formatDuration(NAN), undefinedText());
        QCOMPARE(formatDuration(std::optional<double>()), undefinedText());
    }
    void bytesArePowersOf1024()
    {
        QCOMPARE(plain(formatBytes(0)), "0 B");
        QCOMPARE(plain(formatBytes(1000)), "1000 B");
        QCOMPARE(plain(formatBytes(16'384)), "16 KiB");
        QCOMPARE(plain(formatBytes(1'572'864)), "1.5 MiB");
        QCOMPARE(plain(formatBytes(117'440'512)), "112 MiB");
        QCOMPARE(plain(formatBytes(1024.0 * 1024 * 1024 * 3)), "3 GiB");
        QCOMPARE(plain(formatBytes(0.5)), "0.5 B");
        QCOMPARE(plain(formatExactBytes(1'572'864)), "1 572 864 B");
        QCOMPARE(plain(formatGrouped(-1234)), "-1 234");
        QCOMPARE(plain(formatFlop(1'073'741'824)), "1.07 GFLOP");
        QCOMPARE(plain(formatFlop(512)), "512 FLOP");
        QCOMPARE(plain(formatGrouped(999)), "999");
    }
    void bandwidthIsDecimal()
    {
        // From an event to the label: 1e9 bytes in 1e9 ns are 1 GB/s.
        QCOMPARE(plain(formatGBs(1e9 / 1e9)), "1 GB/s");
        QCOMPARE(plain(formatGBs(123.456)), "123 GB/s");
        QCOMPARE(formatGBs(std::nullopt), undefinedText());
        QCOMPARE(formatGBs(INFINITY), undefinedText());
    }
    void sharesAndRatios()
    {
        QCOMPARE(plain(formatShare(0)), "0 %");
        QCOMPARE(plain(formatShare(0.0004)), "<0.1 %");
        QCOMPARE(plain(formatShare(0.0625)), "6.3 %");
        QCOMPARE(plain(formatShare(0.63)), "63 %");
        QCOMPARE(plain(formatShare(1)), "100 %");
        QCOMPARE(plain(formatShare(0.994)), "99 %");
        QCOMPARE(plain(formatShare(0.9999)), ">99 %");
        QCOMPARE(formatShare(NAN), undefinedText());
        QCOMPARE(formatRatio(0.5), QStringLiteral("0.5×"));
        QCOMPARE(formatRatio(std::nullopt), undefinedText());
    }
    void numbers()
    {
        QCOMPARE(formatNumber(12345), "12345");
        QCOMPARE(formatNumber(0.0078125), "0.00781");
        QCOMPARE(formatNumber(1.50), "1.5");
        QCOMPARE(formatNumber(-2), QStringLiteral("−2"));
        QCOMPARE(formatNumber(100), "100");
    }
    void neverACommaNorAnExponentInRange()
    {
        QVERIFY(rc::check([] {
            const double value = std::pow(10, *rc::gen::inRange(-60, 120) / 10.0);
            for (const QString &text : {formatNumber(value), formatDuration(value), formatBytes(value)}) {
                RC_ASSERT(!text.contains(QLatin1Char(',')));
                RC_ASSERT(!text.contains(QLatin1Char('e')));
                RC_ASSERT(!text.startsWith(QLatin1String("0 ")) && text != QLatin1String("0"));
            }
        }));
    }
    void outlinesAreSeenOnEverySurface()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::dark(), &Theme::projector()}) {
            for (const QColor &colour : {theme->training, theme->prefill, theme->decode, theme->forwardCompute,
                                         theme->backwardCompute, theme->allReduce}) {
                for (const BarOrigin origin : {BarOrigin::Measured, BarOrigin::Predicted})
                    QVERIFY(contrastRatio(barPaint(colour, theme->surface, origin).outline, theme->surface) >= 3);
                // Text on a bar: readable on solid, hollow and stale fills.
                for (const BarOrigin origin : {BarOrigin::Measured, BarOrigin::Predicted, BarOrigin::Stale}) {
                    const QColor fill = barPaint(colour, theme->surface, origin).fill;
                    QVERIFY(contrastRatio(Theme::textOn(fill), fill) >= 4.5);
                }
            }
            for (const QColor &text : {theme->text, theme->text2, theme->warn})
                QVERIFY(contrastRatio(text, theme->surface) >= 4.5);
        }
    }
};

QTEST_GUILESS_MAIN(TestNumberFormat)
#include "tst_number_format.moc"
