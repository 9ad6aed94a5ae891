// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/picture.h"

#include "ui/charts/comparison_painter.h"
#include "ui/derivation/derivation_picture.h"
#include "ui/diagram/scene_painter.h"
#include "ui/export/provenance.h"
#include "ui/pages/page_list.h"
#include "ui/timeline/timeline_painter.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace shardscope {

namespace {

struct ViewInfo {
    PictureView view;
    const char *name;
    const char *title = nullptr; ///< of pages: their own
    std::optional<PageId> page = std::nullopt;
};
constexpr ViewInfo kViews[] = {
    {PictureView::Diagram, "diagram", QT_TRANSLATE_NOOP("Picture", "Diagram")},
    {PictureView::Derivation, "derivation", QT_TRANSLATE_NOOP("Picture", "Derivation")},
    {PictureView::Timeline, "timeline", QT_TRANSLATE_NOOP("Picture", "Timeline")},
    {PictureView::Comparison, "comparison", QT_TRANSLATE_NOOP("Picture", "Comparison")},
    {PictureView::Window, "window", QT_TRANSLATE_NOOP("Picture", "Whole window")},
    {PictureView::Phases, "phases", nullptr, PageId::Phases},
    {PictureView::Traffic, "traffic", nullptr, PageId::Traffic},
    {PictureView::Crossover, "crossover", nullptr, PageId::Crossover},
    {PictureView::LowLoad, "low-load", nullptr, PageId::LowLoad},
    {PictureView::Scaling, "scaling", nullptr, PageId::Scaling},
    {PictureView::Memory, "memory", nullptr, PageId::Memory},
    {PictureView::Advice, "advice", nullptr, PageId::Advice},
    {PictureView::BugLab, "bug-lab", nullptr, PageId::BugLab},
    {PictureView::Hardware, "hardware", nullptr, PageId::Hardware},
    {PictureView::Rates, "rates", nullptr, PageId::Rates},
};

const ViewInfo &infoOf(PictureView view)
{
    return kViews[static_cast<std::size_t>(view)];
}

/// A page that this version does not have cannot be exported.
bool isThere(const ViewInfo &info)
{
    return !info.page || pageInfo(*info.page).id == *info.page;
}

constexpr double kSlideText = 1.5; ///< a slide is read from the last row

constexpr double kMostOfSide = 1.5;
constexpr double kSmallestUnit = 0.62; ///< of a page: its smallest letters then have 6 pixels

/// Design pixels are those of a 1920 x 1080 slide, so that a larger file is the same slide with more pixels. A picture
/// of another shape stands beside others on a slide: its letters follow its area, not its shorter side alone.
double slideUnit(QSize size)
{
    const double across = size.width() / 1920.0;
    const double down = size.height() / 1080.0;
    return std::min(std::sqrt(across * down), kMostOfSide * std::min(across, down));
}

/// The window is laid out for design pixels, so that nothing of it falls off.
double windowUnit(QSize size)
{
    return std::min(size.width() / 1920.0, size.height() / 1080.0);
}

Theme themeOf(const PictureOptions &options)
{
    Theme theme = *options.theme;
    // A slide is one sheet; cards upon a darker ground belong to the window.
    if (options.view != PictureView::Window)
        theme.background = theme.surface;
    if (options.background == PictureBackground::White) {
        // The dark theme's words are light.
        if (theme.surface.lightnessF() < 0.5)
            theme = Theme::light();
        theme.background = theme.surface = Qt::white;
    }
    if (options.background == PictureBackground::Transparent && options.view != PictureView::Window)
        theme.background = Qt::transparent;
    return theme;
}

RunPtr runIn(const RunsByPhase &runs, Phase phase)
{
    const auto found = runs.find(phase);
    return found == runs.end() ? nullptr : found->second;
}

/// Whose times the picture shows. The diagram is of the plan, and charts have only bars of the chosen settings: a run
/// of others says nothing about them.
RunPtr runOf(const PictureContent &content, PictureView view)
{
    const Results &results = content.results;
    const bool ofThePlan = view == PictureView::Diagram || view == PictureView::Derivation;
    const bool onlyPredicts = view == PictureView::Comparison && !results.predicted.empty();
    if (results.stale && (ofThePlan || onlyPredicts))
        return runIn(results.predicted, content.phase);
    return results.shown(content.phase);
}

/// What the comparison contrasts: each phase's measurement where it is of the chosen settings, else its prediction.
std::vector<const Run *> contrastedRuns(const Results &results)
{
    std::vector<const Run *> runs;
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        const bool predicts = results.stale && !results.predicted.empty();
        if (const RunPtr run = predicts ? runIn(results.predicted, phase) : results.shown(phase))
            runs.push_back(run.get()); // kept alive by the results
    }
    return runs;
}

/// Where the numbers of the picture come from, all of them.
QString footerText(const PictureContent &content, PictureView view)
{
    if (content.page)
        return content.page->provenance + QStringLiteral(" \u00b7 Shardscope " SHARDSCOPE_VERSION);
    const Results &results = content.results;
    const RunPtr run = runOf(content, view);
    const RunPtr measured = runIn(results.measured, content.phase);
    const RunPtr predicted = runIn(results.predicted, content.phase);
    QString footer = provenance(run.get(), run ? run->experiment() : content.plan->experiment,
                                view == PictureView::Comparison ? contrastedRuns(results) : std::vector<const Run *>());
    if (results.stale && run && run == measured)
        footer.prepend(QCoreApplication::translate("Picture", "for other settings than those chosen:") +
                       QLatin1Char(' '));
    const bool both = view == PictureView::Comparison || view == PictureView::Window;
    if (both && run == measured && measured && predicted)
        footer += QStringLiteral(" · ") +
                  QCoreApplication::translate("Picture", "hollow bars: %1").arg(sourcePhrase(*predicted));
    return footer;
}

ComparisonFrame comparisonFrame(const PictureContent &content, const Theme &theme, double unit)
{
    ComparisonFrame frame;
    for (const auto &[phase, run] : content.results.predicted)
        frame.predicted[phase] = run.get();
    for (const auto &[phase, run] : content.results.measured)
        frame.measured[phase] = run.get();
    frame.oneRank = content.results.shownOne().get(); // kept alive by the results
    frame.theme = &theme;
    frame.unit = unit;
    frame.perToken = content.perToken;
    frame.stale = content.results.stale;
    return frame;
}

DerivationContent derivationOf(const PictureContent &content)
{
    const Plan &plan = *content.plan;
    const int step = content.derivedStep.value_or(stepAt(sceneList(plan), content.position));
    return derivationContent(plan, step, content.results, summaryOfWhatRan(plan, content.results));
}

void paintView(QPainter &painter, const QRectF &area, const PictureContent &content, PictureView view,
               const Theme &theme, double unit)
{
    if (content.page) {
        content.page->paint(painter, area, theme, unit);
        return;
    }
    const RunPtr run = runOf(content, view);
    if (view == PictureView::Diagram) {
        DiagramFrame frame;
        frame.plan = content.plan.get();
        frame.run = run.get();
        frame.position = content.position;
        frame.theme = &theme;
        frame.unit = unit;
        frame.followed = content.followed;
        paintDiagram(painter, area, frame);
    } else if (view == PictureView::Derivation) {
        paintDerivation(painter, area, derivationOf(content), theme, unit);
    } else if (view == PictureView::Timeline) {
        paintTimeline(painter, area, {run.get(), &theme, unit, content.results.stale, content.timelineStep});
    } else {
        paintComparison(painter, area, comparisonFrame(content, theme, unit));
    }
}

constexpr double kMargin = 20;
constexpr double kFooterLetters = 11;
constexpr int kFooterFlags = Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop;

/// Height of the footer's words.
double footerWords(QSizeF size, const QString &text, double unit)
{
    const QRectF room(0, 0, size.width() - 2 * kMargin * unit, size.height());
    return QFontMetricsF(uiFont(kFooterLetters, unit)).boundingRect(room, kFooterFlags, text).height();
}

double footerHeight(QSizeF size, const QString &text, double unit)
{
    return footerWords(size, text, unit) + 16 * unit;
}

/// At the bottom.
void paintFooter(QPainter &painter, QSizeF size, const QString &text, const Theme &theme, double unit)
{
    const double margin = kMargin * unit;
    painter.setFont(uiFont(kFooterLetters, unit));
    const double top = size.height() - footerHeight(size, text, unit);
    painter.setPen(QPen(theme.border, std::max(1.0, unit)));
    painter.drawLine(QPointF(margin, top), QPointF(size.width() - margin, top));
    painter.setPen(theme.text2);
    painter.drawText(QRectF(margin, top + 7 * unit, size.width() - 2 * margin, footerWords(size, text, unit) + unit),
                     kFooterFlags, text);
}

/// What lies above the footer.
QRectF viewArea(QSizeF size, const QString &footer, double unit)
{
    const double margin = kMargin * unit;
    return {margin, margin, size.width() - 2 * margin, size.height() - footerHeight(size, footer, unit) - 1.4 * margin};
}

/// A page's letters shrink until everything has its place; its footer's shrink with them, which leaves it some room.
double pageUnit(const PagePicture &page, QSizeF size, const QString &footer, double unit)
{
    constexpr int kRounds = 2;
    double fitting = unit;
    for (int round = 0; round < kRounds && page.fitted; ++round)
        fitting = page.fitted(viewArea(size, footer, fitting), unit);
    return fitting;
}

} // namespace

QString pictureViewName(PictureView view)
{
    return QString::fromLatin1(infoOf(view).name);
}

QString pictureViewTitle(PictureView view)
{
    const ViewInfo &info = infoOf(view);
    return info.page ? pageTitle(pageInfo(*info.page)) : QCoreApplication::translate("Picture", info.title);
}

std::vector<PictureView> pictureViews()
{
    std::vector<PictureView> views;
    for (const ViewInfo &info : kViews) {
        if (isThere(info))
            views.push_back(info.view);
    }
    return views;
}

std::optional<PageId> pageOf(PictureView view)
{
    return infoOf(view).page;
}

PictureView viewOf(PageId page)
{
    return std::ranges::find(kViews, std::optional(page), &ViewInfo::page)->view;
}

std::optional<PictureView> pictureViewFromName(const QString &name)
{
    for (const ViewInfo &info : kViews) {
        if (isThere(info) && name == QLatin1String(info.name))
            return info.view;
    }
    return std::nullopt;
}

QString sizeProblem(QSize size)
{
    const bool sides =
        size.width() >= 1 && size.height() >= 1 && size.width() <= kMostPixels && size.height() <= kMostPixels;
    if (sides && qint64(size.width()) * size.height() <= kMostArea)
        return {};
    return QCoreApplication::translate("Picture", "%1x%2: a picture has 1 to %3 pixels a side and at most %4 in all")
        .arg(size.width())
        .arg(size.height())
        .arg(kMostPixels)
        .arg(kMostArea);
}

void paintPicture(QPainter &painter, const PictureContent &content, const PictureOptions &options)
{
    const Theme theme = themeOf(options);
    const bool window = options.view == PictureView::Window;
    double unit = options.scale * (window ? windowUnit(options.size) : kSlideText * slideUnit(options.size));
    if (options.background != PictureBackground::Transparent)
        painter.fillRect(QRect(QPoint(0, 0), options.size), window ? theme.surface : theme.background);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    QSizeF size = options.size;
    const QString footer = footerText(content, options.view);
    painter.save();
    if (window) {
        paintFooter(painter, size, footer, theme, unit);
        painter.scale(unit, unit);
        content.paintWindow(painter, QSizeF(size.width(), size.height() - footerHeight(size, footer, unit)) / unit,
                            theme);
    } else {
        if (content.page)
            unit = pageUnit(*content.page, size, footer, unit);
        // Letters have a smallest size; below it the whole picture shrinks, so that no word is cut.
        if (const double shrink = unit / kSmallestUnit; content.page && shrink < 1) {
            painter.scale(shrink, shrink);
            size /= shrink;
            unit = pageUnit(*content.page, size, footer, kSmallestUnit);
        }
        paintFooter(painter, size, footer, theme, unit);
        paintView(painter, viewArea(size, footer, unit), content, options.view, theme, unit);
    }
    painter.restore();
}

} // namespace shardscope
