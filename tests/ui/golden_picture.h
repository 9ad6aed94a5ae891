// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <QtTest>
#include <functional>

class QPainter;

namespace shardscope {

/// How two pictures differ: channels that differ by more than 8 of 255 make a pixel "different".
struct PictureDifference {
    bool sameSize = true;
    double differentShare = 0; ///< of all pixels, 0 to 1
    int largest = 0;           ///< largest difference of one channel
    QImage marked;             ///< reference dimmed, differences in red
    /// At most 1 % of the pixels may be different.
    [[nodiscard]] bool acceptable() const;
};
[[nodiscard]] PictureDifference comparePictures(const QImage &actual, const QImage &reference);

/// Paints into a fresh RGB32 image at ratio 1.
[[nodiscard]] QImage paintPicture(const QSize &size, const std::function<void(QPainter &)> &paint);

/// Compares `actual` with `<goldenDir>/<name>.png`. The problem in words, empty when they agree. A missing reference
/// is a problem; on a difference actual and marked pictures are written to `differenceDir`. With UPDATE_GOLDEN=1 in
/// the environment the reference is written instead.
[[nodiscard]] QString goldenProblem(const QImage &actual, const QString &name, const QString &goldenDir,
                                    const QString &differenceDir);

/// Why the pictures of this process would not be comparable (a font other than Inter), empty when they are.
[[nodiscard]] QString fontProblem();

} // namespace shardscope

/// In a test: fails when `image` differs from golden/<name>.png. The directories are set by shardscope_add_ui_test.
#define SHARDSCOPE_COMPARE_GOLDEN(image, name)                                                                         \
    do {                                                                                                               \
        const QString problem_ =                                                                                       \
            shardscope::goldenProblem(image, name, SHARDSCOPE_GOLDEN_DIR, SHARDSCOPE_DIFFERENCE_DIR);                  \
        QVERIFY2(problem_.isEmpty(), qPrintable(problem_));                                                            \
    } while (false)
