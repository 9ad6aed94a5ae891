// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/pages/page_id.h"
#include "ui/pages/page_picture.h"
#include "ui/results.h"
#include "ui/timeline/timeline_data.h"

#include <QSize>
#include <QSizeF>
#include <QString>
#include <functional>
#include <memory>
#include <optional>

class QPainter;

namespace shardscope {

/// Views of the workbench, the window with all of them, and the other pages.
enum class PictureView {
    Diagram,
    Derivation,
    Timeline,
    Comparison,
    Window,
    Phases,
    Traffic,
    Crossover,
    LowLoad,
    Scaling,
    Memory,
    Advice,
    BugLab,
    Hardware,
    Rates,
};
/// Those of this version, in the order of menus.
[[nodiscard]] std::vector<PictureView> pictureViews();
/// "diagram", "derivation", "timeline", "comparison", "window", "memory", ...
[[nodiscard]] QString pictureViewName(PictureView view);
[[nodiscard]] std::optional<PictureView> pictureViewFromName(const QString &name);
/// "Diagram", for menus and lists.
[[nodiscard]] QString pictureViewTitle(PictureView view);
/// The page that a view is of; nothing for those of the workbench.
[[nodiscard]] std::optional<PageId> pageOf(PictureView view);
/// The view of a page beside the workbench.
[[nodiscard]] PictureView viewOf(PageId page);

/// What a picture shows; values, so that a picture taken now does not change while it is written.
struct PictureContent {
    std::shared_ptr<const Plan> plan;
    Results results;
    Phase phase = Phase::Training;
    double position = 0; ///< of the diagram, in scenes
    QString followed;
    bool perToken = false;
    std::optional<int> derivedStep;  ///< the step whose derivation the window shows; else that of the position
    IterationChoice timelineStep;    ///< which measured step the timeline draws
    std::optional<PagePicture> page; ///< of the views that are pages
    /// Paints the whole window, laid out for that many design pixels.
    std::function<void(QPainter &painter, QSizeF designSize, const Theme &theme)> paintWindow;
};

enum class PictureBackground { Theme, White, Transparent };

struct PictureOptions {
    PictureView view = PictureView::Diagram;
    QSize size{1920, 1080}; ///< pixels of the file, whatever the screen's ratio
    double scale = 1;       ///< on top of the 1.5 times larger text of slides
    const Theme *theme = &Theme::light();
    PictureBackground background = PictureBackground::Theme;
};

/// QImage and PNG readers stop there.
inline constexpr int kMostPixels = 32767;
/// A gibibyte of pixels: what a computer that shows slides has to spare.
inline constexpr qint64 kMostArea = qint64(1) << 28;

/// Why a picture of that size cannot be made; empty when it can.
[[nodiscard]] QString sizeProblem(QSize size);

/// The view with its provenance footer, filling `size` pixels of the painter.
void paintPicture(QPainter &painter, const PictureContent &content, const PictureOptions &options);

} // namespace shardscope
