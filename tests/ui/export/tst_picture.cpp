// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/picture_file.h"

#include "engine/plan/experiment_options.h"
#include "engine/simulate/simulate.h"
#include "ui/app_style.h"
#include "ui/export/export_dialog.h"
#include "ui/export/provenance.h"
#include "ui/export/window_picture.h"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QPainter>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

using namespace shardscope;

namespace {

Run measuredLike(const Experiment &experiment)
{
    Run run = simulate(buildPlan(experiment), *findHardware("a100-8"));
    run.source = Source::Measured;
    run.startedAt = "2026-11-29T14:32:00+00:00";
    run.machine.backend = "gloo";
    run.machine.host = "2 cores, TestCPU";
    run.machine.libraries = {{"libtorch", "1.13.1"}};
    run.machine.notes = {"4 ranks share 2 cores; not GPU times"};
    return run;
}

Experiment experimentOf(Phase phase, int ranks = 4)
{
    Experiment experiment;
    experiment.mesh.extents = {ranks, 1, 1};
    experiment.phase = phase;
    return experiment;
}

PictureContent newContent()
{
    PictureContent content;
    content.plan = std::make_shared<const Plan>(buildPlan(experimentOf(Phase::Training)));
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        content.results.measured[phase] = std::make_shared<const Run>(measuredLike(experimentOf(phase)));
        content.results.predicted[phase] =
            std::make_shared<const Run>(simulate(buildPlan(experimentOf(phase)), *findHardware("h100-8")));
    }
    content.position = 2.5;
    return content;
}

/// Different colours in the picture: an empty or half-painted one has few.
int coloursOf(const QImage &image)
{
    QSet<QRgb> seen;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3)
            seen.insert(image.pixel(x, y));
    }
    return static_cast<int>(seen.size());
}

} // namespace

class TestPicture : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_style = new AppStyle;
        QApplication::setStyle(m_style);
        AppStyle::apply(*m_style, {});
        m_content = newContent();
        WindowPictureState state;
        state.experiment = experimentOf(Phase::Training);
        m_content.paintWindow = [this, inner = m_content, state](QPainter &painter, QSizeF size, const Theme &theme) {
            paintWindowPicture(painter, size, theme, *m_style, inner, state);
        };
    }

    void theSizeIsExact_data()
    {
        QTest::addColumn<int>("view");
        QTest::addColumn<QSize>("size");
        for (const PictureView view : {PictureView::Diagram, PictureView::Derivation, PictureView::Timeline,
                                       PictureView::Comparison, PictureView::Window}) {
            for (const QSize size : {QSize(1920, 1080), QSize(1281, 723)})
                QTest::addRow("%s %dx%d", qPrintable(pictureViewName(view)), size.width(), size.height())
                    << int(view) << size;
        }
    }
    void theSizeIsExact()
    {
        QFETCH(int, view);
        QFETCH(QSize, size);
        PictureOptions options;
        options.view = static_cast<PictureView>(view);
        options.size = size;
        const QImage image = QImage::fromData(encodePng(pictureImage(m_content, options)), "PNG");
        QCOMPARE(image.size(), size);
        QVERIFY2(coloursOf(image) > 20, "there is a picture in it");
        for (const QPoint corner : {QPoint(0, 0), QPoint(size.width() - 1, size.height() - 1)})
            QCOMPARE(qAlpha(image.pixel(corner)), 255);
    }

    void svgAndPdfHaveTheSizeAndOpen()
    {
        for (const PictureView view : {PictureView::Diagram, PictureView::Timeline, PictureView::Comparison}) {
            PictureOptions options;
            options.view = view;
            options.size = QSize(960, 540);
            const QByteArray svg = encodeVector(m_content, options, PictureFormat::Svg);
            QSvgRenderer renderer(svg);
            QVERIFY(renderer.isValid());
            QCOMPARE(renderer.defaultSize(), QSize(960, 540));
            QVERIFY(svg.count("<path") + svg.count("<rect") + svg.count("<text") > 40);
            const QByteArray pdf = encodeVector(m_content, options, PictureFormat::Pdf);
            QVERIFY(pdf.startsWith("%PDF-"));
            // 960 x 540 pixels of 1/96 inch are 720 x 405 points.
            QVERIFY2(pdf.contains("/MediaBox [0 0 720.000000 405.000000]") || pdf.contains("/MediaBox [0 0 720 405]"),
                     pdf.mid(pdf.indexOf("/MediaBox"), 60).constData());
        }
    }

    void backgrounds()
    {
        PictureOptions options;
        options.size = QSize(640, 360);
        options.theme = &Theme::dark();
        QCOMPARE(QColor(pictureImage(m_content, options).pixel(0, 0)), Theme::dark().surface);
        options.background = PictureBackground::White;
        options.theme = &Theme::light();
        QCOMPARE(QColor(pictureImage(m_content, options).pixel(0, 0)), QColor(Qt::white));
        options.theme = &Theme::dark();
        const QImage onWhite = pictureImage(m_content, options);
        int ink = 0; // the dark theme's light words would not be seen
        for (int y = 0; y < onWhite.height(); ++y) {
            for (int x = 0; x < onWhite.width(); ++x)
                ink += qGray(onWhite.pixel(x, y)) < 90;
        }
        QVERIFY(ink > 500);
        options.theme = &Theme::light();
        options.background = PictureBackground::Transparent;
        for (const PictureView view : {PictureView::Diagram, PictureView::Timeline, PictureView::Comparison}) {
            options.view = view;
            const QImage image = pictureImage(m_content, options);
            int clear = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x)
                    clear += qAlpha(image.pixel(x, y)) == 0;
            }
            // Not only the margin: what is seen between words and bars, too.
            QVERIFY2(clear > 0.3 * image.width() * image.height(), qPrintable(pictureViewName(view)));
        }
    }

    void tooLargeIsRefused()
    {
        QVERIFY(sizeProblem({32767, 8192}).isEmpty());
        QVERIFY(!sizeProblem({32767, 32767}).isEmpty());
        QVERIFY(sizeProblem({32768, 10}).contains(QStringLiteral("32767")));
        QVERIFY(!sizeProblem({0, 10}).isEmpty());
    }

    void writingIsWholeOrNotAtAll()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.png"));
        QVERIFY(writeWholeFile(file, "old").isEmpty());
        QVERIFY2(!writeWholeFile(file, {}).isEmpty(), "a picture that could not be made is said");
        QFile kept(file);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), QByteArray("old"));
        const QString problem = writeWholeFile(folder.filePath(QStringLiteral("no/such/folder/a.png")), "new");
        QVERIFY(problem.contains(QStringLiteral("a.png")));
    }

    void endingsPickTheFormat()
    {
        QVERIFY(pictureFormatOf(QStringLiteral("a.PNG")) == PictureFormat::Png);
        QVERIFY(pictureFormatOf(QStringLiteral("b/a.svg")) == PictureFormat::Svg);
        QVERIFY(pictureFormatOf(QStringLiteral("a.pdf")) == PictureFormat::Pdf);
        QVERIFY(!pictureFormatOf(QStringLiteral("a.gif")));
    }

    void theFooterSaysWhereTheNumbersComeFrom()
    {
        Run run = measuredLike(experimentOf(Phase::Training));
        const QString measured = provenance(&run, run.experiment());
        for (const char *part : {"measured 2026-11-29", "2 cores, TestCPU", "gloo", "libtorch 1.13.1", "f32", "b 4",
                                 "s 64", "h 1024", "N 4", "median", "not GPU times", "Shardscope"})
            QVERIFY2(measured.contains(QLatin1String(part)), qPrintable(measured));
        run.hardware.clear(); // no prediction, where one step is all there is
        const QString partial = provenance(&run, run.experiment());
        QVERIFY2(partial.contains(QStringLiteral("incomplete: training 1 of 20 steps")), qPrintable(partial));
        Run whole = run;
        whole.plan.experiment.steps = 1;
        QVERIFY(!provenance(&whole, whole.experiment()).contains(QStringLiteral("incomplete")));
        Run decode = measuredLike(experimentOf(Phase::Decode));
        QVERIFY(
            provenance(&run, run.experiment(), {&run, &decode}).contains(QStringLiteral("mlp training, decode, f32")));
        decode.plan.experiment.weightDtype = WeightDType::Int8;
        QVERIFY(provenance(&run, run.experiment(), {&run, &decode})
                    .contains(QStringLiteral("decode, f32, int8 weights at inference")));
        QVERIFY(!provenance(&run, run.experiment(), {&run}).contains(QStringLiteral("int8")));
        run.source = Source::Recorded;
        QVERIFY(provenance(&run, run.experiment()).startsWith(QStringLiteral("recorded on")));
        const Run predicted = simulate(buildPlan(experimentOf(Phase::Training)), *findHardware("h100-8"));
        QVERIFY(provenance(&predicted, predicted.experiment()).startsWith(QStringLiteral("predicted for")));
    }

    void theFooterNamesWhatIsNotAsUsual()
    {
        QVERIFY(provenance(nullptr, experimentOf(Phase::Training)).contains(QStringLiteral("h 1024, f 4096, N 4 ·")));
        const auto mesh = readExperiment({{"scheme", "block"},
                                          {"mesh", "tp=2,dp=1,pp=2"},
                                          {"micro-batches", "4"},
                                          {"schedule", "gpipe"},
                                          {"sequence-parallel", "megatron"},
                                          {"recompute", "full"},
                                          {"overlap", "on"},
                                          {"stage-delay", "10:20"}});
        QVERIFY(mesh);
        const QString words = provenance(nullptr, *mesh);
        for (const char *part :
             {"tp\u00a02 × pp\u00a02", "2 layers", "4 micro-batches", "schedule gpipe", "sequence parallel megatron",
              "recompute full", "overlap on", "every forward padded to 10\u00a0ms, backward to 20\u00a0ms"})
            QVERIFY2(words.contains(QString::fromUtf8(part)), qPrintable(words));
    }

    void theFooterSaysWhetherTheChecksPassed()
    {
        Run run = measuredLike(experimentOf(Phase::Training));
        run.hardware.clear(); // no prediction
        run.end = EndEvent{};
        QVERIFY(!provenance(&run, run.experiment()).contains(QStringLiteral("check")));
        run.checks = {CheckEvent{"Y", 2e-7, 1e-5, true}, CheckEvent{"dX", 2e-7, 1e-5, true}};
        const QString passed = provenance(&run, run.experiment());
        QVERIFY2(passed.contains(QStringLiteral("2 of 2 checks passed")), qPrintable(passed));
        run.checks.front() = CheckEvent{"Y", 3.2e-2, 1e-5, false};
        run.end->status = EndEvent::Status::Failed;
        run.end->exitCode = 3;
        QVERIFY(provenance(&run, run.experiment())
                    .contains(QStringLiteral("check failed: Y, relative error 3.2e-02, limit 1.0e-05")));
    }

    void enterInTheDialogSaves()
    {
        QWidget window;
        auto *dialog = new ExportDialog(PictureView::Diagram, &window);
        QSignalSpy saves(dialog, &ExportDialog::saveRequested);
        dialog->show();
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        QTest::keyClick(dialog, Qt::Key_Return);
        QCOMPARE(saves.size(), 1);
    }

    void theFooterOfBothSourcesNamesBoth()
    {
        PictureOptions options;
        options.size = QSize(1920, 1080);
        const auto words = [&](const PictureContent &content, PictureView view) {
            options.view = view;
            return QString::fromUtf8(encodeVector(content, options, PictureFormat::Svg))
                .remove(QRegularExpression(QStringLiteral("<[^>]*>|\\s"))); // lines break anywhere
        };
        const QString both = words(m_content, PictureView::Comparison);
        QVERIFY(both.contains(QStringLiteral("measured2026-11-29")) && both.contains(QStringLiteral("hollowbars:")));
        QVERIFY(!words(m_content, PictureView::Diagram).contains(QStringLiteral("hollowbars")));
        PictureContent other = m_content;
        other.results.stale = true;
        QVERIFY(words(other, PictureView::Timeline).contains(QStringLiteral("forothersettings")));
        // The diagram is of the chosen settings, so is its footer.
        QVERIFY(words(other, PictureView::Diagram).contains(QStringLiteral("predictedfor")));
        QVERIFY(!words(other, PictureView::Diagram).contains(QStringLiteral("measured2026")));
        // Charts have bars of the chosen settings only.
        QVERIFY(words(other, PictureView::Comparison).contains(QStringLiteral("predictedfor")));
        QVERIFY(!words(other, PictureView::Comparison).contains(QStringLiteral("measured2026")));
    }

    /// A slide says of which sizes it is: heads where the layer has heads, f where it has an MLP.
    void theFooterNamesTheSizesThatTheLayerHas()
    {
        const auto footer = [](const OptionValues &options) {
            const Expected<Experiment> experiment = readExperiment(options);
            return provenance(nullptr, *experiment);
        };
        const QString heads = footer({{"scheme", "attention"}, {"ranks", "4"}, {"heads", "16"}, {"kv-heads", "4"}});
        QVERIFY2(heads.contains(QStringLiteral("h 1024, a 16, k 4, N 4")), qPrintable(heads));
        const QString mlp = footer({{"scheme", "mlp"}, {"ranks", "4"}, {"ffn", "2048"}});
        QVERIFY2(mlp.contains(QStringLiteral("h 1024, f 2048, N 4")), qPrintable(mlp));
        const QString decode = footer({{"scheme", "block"}, {"ranks", "2"}, {"phase", "decode"}, {"cache", "128"}});
        QVERIFY2(decode.contains(QStringLiteral("f 4096, a 16, k 16, cache 128, N 2")), qPrintable(decode));
    }

    void aPictureOfOldNumbersComparesNoOldOneRank()
    {
        PictureContent content = m_content;
        content.results.measuredOne = std::make_shared<const Run>(measuredLike(experimentOf(Phase::Training, 1)));
        content.results.predictedOne =
            std::make_shared<const Run>(simulate(buildPlan(experimentOf(Phase::Training, 1)), *findHardware("h100-8")));
        content.results.stale = true;
        PictureOptions options;
        options.view = PictureView::Comparison;
        const QString words = QString::fromUtf8(encodeVector(content, options, PictureFormat::Svg))
                                  .remove(QRegularExpression(QStringLiteral("<[^>]*>|\\s")));
        QVERIFY(words.contains(QStringLiteral("4ranksare")));
    }

    void lettersOfHalfASlideAreThoseOfAWholeOne()
    {
        // Two halves stand side by side on one slide.
        const auto letters = [&](QSize size) {
            PictureOptions options;
            options.view = PictureView::Timeline;
            options.size = size;
            const QByteArray svg = encodeVector(m_content, options, PictureFormat::Svg);
            double largest = 0;
            static const QRegularExpression font(QStringLiteral("font-size=\"([0-9.]+)\""));
            for (auto match = font.globalMatch(QString::fromUtf8(svg)); match.hasNext();)
                largest = std::max(largest, match.next().captured(1).toDouble());
            return largest;
        };
        QVERIFY(letters({960, 1080}) >= 0.65 * letters({1920, 1080}));
    }

    void thePictureOfTheWindowIsSharpAtEverySize()
    {
        // Kept images of the views would be enlarged: no text and no lines of theirs would be among the vectors.
        PictureOptions options;
        options.view = PictureView::Window;
        options.size = QSize(3840, 2160);
        const QByteArray svg = encodeVector(m_content, options, PictureFormat::Svg);
        QVERIFY(svg.contains("rank 3"));
        QVERIFY(svg.contains("Time since the start of the step"));
    }

    void thePictureOfTheWindowLeavesTheApplicationAsItWas()
    {
        const QFont font = QApplication::font();
        const QPalette palette = QApplication::palette();
        PictureOptions options;
        options.view = PictureView::Window;
        options.theme = &Theme::dark();
        options.size = QSize(1920, 1080);
        QVERIFY(!pictureImage(m_content, options).isNull());
        QCOMPARE(QApplication::font(), font);
        QCOMPARE(QApplication::palette().color(QPalette::Window), palette.color(QPalette::Window));
    }

private:
    AppStyle *m_style = nullptr;
    PictureContent m_content;
};

QTEST_MAIN(TestPicture)
#include "tst_picture.moc"
