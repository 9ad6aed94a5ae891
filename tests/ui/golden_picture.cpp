// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"

#include <QDir>
#include <QFontInfo>
#include <QPainter>
#include <algorithm>
#include <cstdlib>

namespace shardscope {
namespace {

constexpr int kChannelTolerance = 8;
constexpr double kShareTolerance = 0.01;

int channelDifference(QRgb a, QRgb b)
{
    return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

QRgb dimmed(QRgb colour)
{
    const int grey = 160 + qGray(colour) / 3;
    return qRgb(grey, grey, grey);
}

bool save(const QImage &image, const QString &folder, const QString &file)
{
    return QDir().mkpath(folder) && image.save(folder + QLatin1Char('/') + file);
}

QString updateReference(const QImage &actual, const QString &name, const QString &goldenDir)
{
    if (save(actual, goldenDir, name + QStringLiteral(".png")))
        return {};
    return QStringLiteral("cannot write the reference %1 into %2").arg(name, goldenDir);
}

} // namespace

bool PictureDifference::acceptable() const
{
    return sameSize && differentShare <= kShareTolerance;
}

PictureDifference comparePictures(const QImage &actual, const QImage &reference)
{
    PictureDifference result;
    result.sameSize = actual.size() == reference.size();
    if (!result.sameSize)
        return result;
    const QImage a = actual.convertToFormat(QImage::Format_RGB32);
    const QImage b = reference.convertToFormat(QImage::Format_RGB32);
    result.marked = b;
    qint64 different = 0;
    for (int y = 0; y < a.height(); ++y) {
        const auto *lineA = reinterpret_cast<const QRgb *>(a.constScanLine(y));
        const auto *lineB = reinterpret_cast<const QRgb *>(b.constScanLine(y));
        auto *marked = reinterpret_cast<QRgb *>(result.marked.scanLine(y));
        for (int x = 0; x < a.width(); ++x) {
            const int difference = channelDifference(lineA[x], lineB[x]);
            result.largest = std::max(result.largest, difference);
            different += difference > kChannelTolerance;
            marked[x] = difference > kChannelTolerance ? qRgb(220, 0, 0) : dimmed(lineB[x]);
        }
    }
    const auto pixels = static_cast<double>(a.width()) * a.height();
    result.differentShare = pixels > 0 ? static_cast<double>(different) / pixels : 0;
    return result;
}

QImage paintPicture(const QSize &size, const std::function<void(QPainter &)> &paint)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paint(painter);
    return image;
}

QString goldenProblem(const QImage &actual, const QString &name, const QString &goldenDir, const QString &differenceDir)
{
    if (const QString problem = fontProblem(); !problem.isEmpty())
        return problem;
    if (qEnvironmentVariable("UPDATE_GOLDEN") == QLatin1String("1"))
        return updateReference(actual, name, goldenDir);
    const QString file = QStringLiteral("%1/%2.png").arg(goldenDir, name);
    const QImage reference(file);
    if (reference.isNull()) {
        save(actual, differenceDir, name + QStringLiteral("-actual.png"));
        return QStringLiteral("no reference %1; UPDATE_GOLDEN=1 writes it").arg(file);
    }
    const PictureDifference difference = comparePictures(actual, reference);
    if (difference.acceptable())
        return {};
    save(actual, differenceDir, name + QStringLiteral("-actual.png"));
    if (!difference.sameSize)
        return QStringLiteral("%1: size %2 x %3, reference %4 x %5")
            .arg(name)
            .arg(actual.width())
            .arg(actual.height())
            .arg(reference.width())
            .arg(reference.height());
    save(difference.marked, differenceDir, name + QStringLiteral("-marked.png"));
    return QStringLiteral("%1: %2 % of the pixels differ (largest channel difference %3); see %4")
        .arg(name)
        .arg(difference.differentShare * 100, 0, 'f', 2)
        .arg(difference.largest)
        .arg(differenceDir);
}

QString fontProblem()
{
    QFont font(QStringLiteral("Inter"));
    const QString found = QFontInfo(font).family();
    if (found == QLatin1String("Inter"))
        return {};
    return QStringLiteral("golden pictures need the font Inter; found \"%1\"").arg(found);
}

} // namespace shardscope
