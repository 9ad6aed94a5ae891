// SPDX-License-Identifier: GPL-3.0-or-later
// What a picture does where a page, or the window, needs more room than there is.
#include "tests/ui/pages/page_runs.h"

#include "ui/app_style.h"
#include "ui/export/window_picture.h"
#include "ui/pages/traffic_sheet.h"

#include <QApplication>

using namespace shardscope;

namespace {

/// How a page was painted into a picture of that size.
struct Painted {
    double unit = 0;
    double scale = 0; ///< of the painter
    QRectF area;
    int calls = 0;
};

/// Of a page that finds room for everything at `needs` of the unit that it is given.
Painted painted(QSize size, double needs, double scale = 1)
{
    Painted seen;
    PagePicture page;
    page.provenance = QStringLiteral("by formula");
    page.paint = [&](QPainter &painter, const QRectF &area, const Theme &, double unit) {
        seen = {unit, painter.transform().m11(), area, seen.calls + 1};
    };
    page.fitted = [=](const QRectF &, double unit) { return needs * unit; };
    PictureContent content;
    content.page = page;
    QImage image(size, QImage::Format_RGB32);
    QPainter painter(&image);
    paintPicture(painter, content,
                 {.view = PictureView::Scaling, .size = size, .scale = scale, .theme = &Theme::light()});
    return seen;
}

} // namespace

class TestPagePictures : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// A footer in larger letters than what it is the footer of is no footer.
    void lettersShrinkTogether()
    {
        const Painted whole = painted({1920, 1080}, 1);
        QCOMPARE(whole.unit, 1.5);
        QCOMPARE(whole.scale, 1.0);
        const Painted dense = painted({1920, 1080}, 0.6, 1.5);
        QCOMPARE(dense.calls, 1);
        QVERIFY(std::abs(dense.unit - 0.6 * 2.25) < 1e-9);
        // The smaller footer leaves more room below.
        QVERIFY(dense.area.bottom() > painted({1920, 1080}, 1, 1.5).area.bottom());
    }

    /// Below the smallest letters the picture shrinks as a whole.
    void aTinyPictureIsASmallerOne()
    {
        const Painted tiny = painted({400, 225}, 1);
        QVERIFY(tiny.scale < 1);
        QVERIFY(tiny.unit >= 0.6);
        const double right = tiny.scale * (tiny.area.right() + 20 * tiny.unit);
        QVERIFY2(std::abs(right - 400) < 0.5, qPrintable(QString::number(right)));
    }

    void nothingIsCutOfAStripOfTraffic()
    {
        const Experiment experiment = experimentOf({{"ranks", "16"}});
        const PagePicture page = trafficPicture(trafficValues(inputOf(experiment, {}), std::nullopt));
        PictureContent content;
        content.page = page;
        QRectF area;
        double unit = 0;
        content.page->paint = [&](QPainter &, const QRectF &into, const Theme &, double at) {
            area = into;
            unit = at;
        };
        QImage image(4000, 200, QImage::Format_RGB32);
        QPainter painter(&image);
        paintPicture(painter, content, {.view = PictureView::Traffic, .size = image.size()});
        const Sheet sheet =
            trafficSheet(trafficValues(inputOf(experiment, {}), std::nullopt), area, Theme::light(), unit);
        QCOMPARE(textProblem(sheet, area), QString());
    }

    /// A picture cannot be scrolled: larger letters than the window has room for are set smaller.
    void theWindowIsWholeAtAnyScale()
    {
        auto *style = new AppStyle;
        QApplication::setStyle(style);
        AppStyle::apply(*style, {&Theme::light(), 1});
        const Experiment experiment = experimentOf({{"ranks", "2"}});
        PictureContent content;
        content.plan = std::make_shared<const Plan>(buildPlan(experiment));
        content.results.predicted[Phase::Training] = simulated(experiment, "h100-8");
        WindowPictureState state;
        state.experiment = experiment;
        state.current = {&Theme::light(), 1};
        for (const QSizeF design : {QSizeF(1920, 1000), QSizeF(1280, 690), QSizeF(960, 500)}) {
            QImage image(design.toSize(), QImage::Format_RGB32);
            QPainter painter(&image);
            const QSize laidOut = paintWindowPicture(painter, design, Theme::light(), *style, content, state);
            QVERIFY(laidOut.width() >= design.toSize().width());
            QVERIFY2(laidOut.width() >= 1200, "narrower than everything has room in");
        }
    }
};

QTEST_MAIN(TestPagePictures)
#include "tst_page_pictures.moc"
