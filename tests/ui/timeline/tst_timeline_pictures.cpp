// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/diagram/sample_plans.h"
#include "tests/ui/golden_picture.h"
#include "tests/ui/timeline/sample_run.h"
#include "tests/ui/timeline/scheduled_run.h"
#include "ui/timeline/gantt_plottable.h"
#include "ui/timeline/timeline_painter.h"

#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <QSvgRenderer>

using namespace shardscope;

namespace {

/// The theme as exports use it: the ground is the surface.
Theme sheetOf(Theme theme)
{
    theme.background = theme.surface;
    return theme;
}

QImage timelinePicture(const Run &run, const Theme &theme, QSize size, double unit = 1, bool stale = false)
{
    const Theme sheet = sheetOf(theme);
    const TimelineFrame frame{&run, &sheet, unit, stale, {}};
    return paintPicture(size, [&](QPainter &painter) { paintTimeline(painter, QRectF({}, QSizeF(size)), frame); });
}

} // namespace

/// The timeline as every export paints it.
class TestTimelinePictures : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void card_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("light") << "light";
        QTest::newRow("dark") << "dark";
    }
    void card()
    {
        QFETCH(QString, theme);
        const Run run = sampleRun({});
        const QImage image = timelinePicture(run, Theme::byId(theme), {1140, 420});
        SHARDSCOPE_COMPARE_GOLDEN(image, "timeline-" + theme);
    }
    void slide()
    {
        SampleOptions options;
        options.ranks = 8;
        const QImage image = timelinePicture(sampleRun(options), Theme::projector(), {1920, 1080}, 1.6);
        SHARDSCOPE_COMPARE_GOLDEN(image, "timeline-slide");
    }
    void predicted()
    {
        SampleOptions options{Phase::Training, 8, 0, 1, Source::Predicted};
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(sampleRun(options), Theme::light(), {1140, 480}),
                                  "timeline-predicted");
    }
    void manyRanks()
    {
        SampleOptions options;
        options.ranks = 64;
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(sampleRun(options), Theme::dark(), {1140, 480}), "timeline-64");
    }
    void hosts()
    {
        Run run = sampleRun({});
        run.machine.hosts = {{"alpha", {0, 1}, 0, 0}, {"beta", {2, 3}, -1'250'000, 11'000}};
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(run, Theme::light(), {1280, 420}), "timeline-hosts");
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(run, Theme::dark(), {1920, 600}, 1.3), "timeline-hosts-dark");
        const TimelineContent content = timelineContent(std::make_shared<Run>(run), false);
        QVERIFY2(content.caption.contains(QStringLiteral("clocks of the hosts aligned within 11")),
                 qPrintable(content.caption));
        QVERIFY(content.caption.contains(QStringLiteral("2 hosts: alpha (ranks 0-1), beta (ranks 2-3)")));
        QCOMPARE(rowTitle(content, 2), QStringLiteral("beta · rank 2"));
    }
    /// Stages with micro-batch numbers, hidden collectives with their brackets, and a lane an axis.
    void otherSchemes_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("timeline-pipeline") << "scheme=pipeline ranks=4 micro-batches=6 hidden=64";
        QTest::newRow("timeline-overlap") << "scheme=mlp ranks=2 overlap=on hidden=64";
        QTest::newRow("timeline-mesh") << "scheme=mlp mesh=tp=2,dp=2 hidden=64";
    }
    void otherSchemes()
    {
        QFETCH(QString, options);
        OptionValues values;
        for (const QString &option : options.split(' '))
            values[option.section('=', 0, 0).toStdString()] = option.section('=', 1).toStdString();
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(scheduledRun(planOf(values)), Theme::light(), {1140, 420}),
                                  QString::fromLatin1(QTest::currentDataTag()));
    }
    /// Passes of one colour have one entry of the legend, and colours that differ when measured differ when predicted.
    void theLegendHasNoTwins()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::dark(), &Theme::projector()}) {
            for (const BarOrigin origin : {BarOrigin::Measured, BarOrigin::Predicted}) {
                const QColor forward = computePaint(*theme, Pass::Forward, origin).fill;
                const QColor backward = computePaint(*theme, Pass::Backward, origin).fill;
                QVERIFY2(contrastRatio(forward, backward) >= 1.5, qPrintable(theme->id));
                QCOMPARE(computePaint(*theme, Pass::Recompute, origin).fill, forward);
            }
        }
        const Run run =
            scheduledRun(planOf({{"scheme", "block"}, {"ranks", "2"}, {"recompute", "full"}, {"hidden", "128"}}));
        const Theme sheet = sheetOf(Theme::light());
        const TimelineFrame frame{&run, &sheet, 1, false, {}};
        QBuffer buffer;
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize({1140, 420});
        QPainter painter(&generator);
        paintTimeline(painter, QRectF(0, 0, 1140, 420), frame);
        painter.end();
        const QString words = QString::fromUtf8(buffer.data());
        QVERIFY(words.contains(QStringLiteral("forward and recompute compute")));
        QVERIFY(!words.contains(QStringLiteral(">forward compute")));
    }
    /// Whole notes, never a half one.
    void aCaptionEndsWithAWholeNote()
    {
        const Run run = sampleRun({Phase::Training, 4});
        const TimelineContent content = timelineContent(std::make_shared<Run>(run), false);
        const QFontMetricsF metrics(uiFont(13, 1));
        const QStringList notes = content.caption.split(QStringLiteral("·"));
        QVERIFY(notes.size() > 2);
        for (double width = metrics.horizontalAdvance(content.caption); width > 300; width -= 20) {
            const QString shown = captionWithin(content.caption, metrics, width);
            QVERIFY(metrics.horizontalAdvance(shown) <= width + 1);
            QVERIFY2(content.caption.startsWith(shown), qPrintable(shown));
            QVERIFY2(notes.contains(shown.section(QStringLiteral("·"), -1)) ||
                         shown.section(QStringLiteral("·"), -1).trimmed() ==
                             notes[shown.count(QStringLiteral("·"))].trimmed(),
                     qPrintable(shown));
        }
    }
    void sameAtEveryResolution()
    {
        const Run run = sampleRun({});
        const TimelineFrame frame{&run, &Theme::light(), 1, false, {}};
        const auto paintAt = [&](int dotsPerMeter) {
            QImage image(700, 320, QImage::Format_RGB32);
            image.setDotsPerMeterX(dotsPerMeter);
            image.setDotsPerMeterY(dotsPerMeter);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintTimeline(painter, QRectF(0, 0, 700, 320), frame);
            return image;
        };
        const PictureDifference difference = comparePictures(paintAt(11811), paintAt(3780));
        QVERIFY2(difference.acceptable(), qPrintable(QString::number(difference.differentShare)));
    }
    void vectorExportIsTheSamePicture()
    {
        const Run run = sampleRun({});
        const Theme sheet = sheetOf(Theme::light());
        const TimelineFrame frame{&run, &sheet, 1, false, {}};
        const QRectF area(0, 0, 1140, 420);
        QBuffer buffer;
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(72); // not the screen's
        generator.setSize(area.size().toSize());
        generator.setViewBox(area);
        QPainter painter(&generator);
        paintTimeline(painter, area, frame);
        painter.end();
        QVERIFY(buffer.data().contains("all-reduce")); // text stays text
        QSvgRenderer renderer(buffer.data());
        const QImage image = paintPicture(area.size().toSize(), [&](QPainter &p) { renderer.render(&p, area); });
        // Glyphs are hinted differently in a vector format; at a quarter of the size they are the same.
        const auto small = [](const QImage &picture) {
            return picture.scaled(picture.size() / 4, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        };
        const QImage raster = timelinePicture(run, Theme::light(), area.size().toSize());
        const PictureDifference difference = comparePictures(small(image), small(raster));
        QVERIFY2(difference.differentShare < 0.12, qPrintable(QString::number(difference.differentShare)));
    }
    void theChosenStepIsDrawn()
    {
        const Run run = sampleRun({});
        TimelineFrame frame{&run, &Theme::light(), 1, false, {}};
        const auto paint = [&] {
            return paintPicture({1140, 420},
                                [&](QPainter &painter) { paintTimeline(painter, QRectF(0, 0, 1140, 420), frame); });
        };
        const QImage median = paint();
        frame.choice = {IterationChoice::Kind::Slowest, 0};
        QVERIFY(comparePictures(paint(), median).differentShare > 0);
    }
    void lowCard()
    {
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(sampleRun({}), Theme::light(), {520, 220}), "timeline-low");
    }
    void stale()
    {
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(sampleRun({Phase::Decode, 2}), Theme::light(), {700, 320}, 1, true),
                                  "timeline-stale");
    }
    void oneRank()
    {
        SHARDSCOPE_COMPARE_GOLDEN(timelinePicture(sampleRun({Phase::Prefill, 1}), Theme::light(), {700, 260}),
                                  "timeline-one-rank");
    }
};

QTEST_MAIN(TestTimelinePictures)
#include "tst_timeline_pictures.moc"
