// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment_options.h"
#include "ui/pages/sheet.h"

#include <QImage>
#include <QPainter>
#include <QString>

namespace shardscope {

/// The experiment of these options; the test's own mistake where they do not go.
[[nodiscard]] inline Experiment experimentOf(const OptionValues &options)
{
    const Expected<Experiment> read = readExperiment(options, Unused::Allow);
    if (!read)
        qFatal("%s", english(read.problem()).c_str());
    return *read;
}

/// A page as the golden pictures show it, with a margin.
template <typename Values>
QImage sheetImage(Sheet (*sheet)(const Values &, const QRectF &, const Theme &, double), const Values &values,
                  const Theme &theme)
{
    constexpr double kMargin = 20;
    QImage image(1280, 720, QImage::Format_RGB32);
    image.fill(theme.surface);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    const QRectF area = QRectF(image.rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    paintSheet(painter, sheet(values, area, theme, 1));
    return image;
}

/// What a reader would stumble over: text outside the area, cut off, or upon other text. Empty when there is nothing.
[[nodiscard]] inline QString textProblem(const Sheet &sheet, const QRectF &area)
{
    constexpr double kTouch = 1.5; // letters do not fill their line's height
    const QRectF room = area.adjusted(-kTouch, -kTouch, kTouch, kTouch);
    std::vector<QRectF> inks;
    for (const TextBox &text : sheet.texts)
        inks.push_back(inkRect(text));
    for (std::size_t i = 0; i < sheet.texts.size(); ++i) {
        const TextBox &text = sheet.texts[i];
        if (!room.contains(inks[i]))
            return QStringLiteral("outside the picture: %1").arg(text.text);
        if (text.text.contains(QChar(0x2026)))
            return QStringLiteral("cut off: %1").arg(text.text);
        for (std::size_t j = i + 1; j < sheet.texts.size(); ++j) {
            const QRectF both = inks[i].intersected(inks[j]);
            if (both.width() > kTouch && both.height() > kTouch)
                return QStringLiteral("upon each other: %1 | %2").arg(text.text, sheet.texts[j].text);
        }
    }
    return {};
}

/// Areas and units in which a page is seen: a slide, a small and a large window, a small picture.
struct PageView {
    QRectF area;
    double unit;
};
inline const PageView kPageViews[] = {{{30, 30, 1860, 990}, 1.5},
                                      {{20, 20, 1240, 680}, 1},
                                      {{0, 0, 1000, 560}, 1},
                                      {{0, 0, 1500, 1000}, 1},
                                      {{15, 15, 770, 545}, 0.95}};

} // namespace shardscope
