// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/picture_file.h"

#include "ui/translation.h"
#include "ui/whole_file.h"

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>

namespace shardscope {

namespace {

constexpr int kPdfDpi = 96; ///< CSS pixels, so that the page has the size of the picture
constexpr int kSvgHead = 400;
constexpr double kPointsPerPixel = 72.0 / kPdfDpi;

/// Qt writes the size in millimetres, which readers turn into pixels each by its own resolution; the size of a slide is
/// in pixels.
QByteArray withPixelSize(QByteArray svg, QSize size)
{
    static const QRegularExpression millimetres(QStringLiteral("width=\"[0-9.]+mm\" height=\"[0-9.]+mm\""));
    const QString head = QString::fromUtf8(svg.left(kSvgHead));
    const QRegularExpressionMatch match = millimetres.match(head);
    if (match.hasMatch())
        svg.replace(match.capturedStart(), match.capturedLength(),
                    QStringLiteral("width=\"%1px\" height=\"%2px\"").arg(size.width()).arg(size.height()).toUtf8());
    return svg;
}

bool paintTo(QPaintDevice &device, const PictureContent &content, const PictureOptions &options)
{
    QPainter painter;
    if (!painter.begin(&device))
        return false;
    paintPicture(painter, content, options);
    return painter.end();
}

} // namespace

std::optional<PictureFormat> pictureFormatOf(const QString &file)
{
    const QString ending = QFileInfo(file).suffix().toLower();
    if (ending == QLatin1String("png"))
        return PictureFormat::Png;
    if (ending == QLatin1String("svg"))
        return PictureFormat::Svg;
    if (ending == QLatin1String("pdf"))
        return PictureFormat::Pdf;
    return std::nullopt;
}

QImage pictureImage(const PictureContent &content, const PictureOptions &options)
{
    QImage image(options.size, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return image;
    image.fill(Qt::transparent);
    if (!paintTo(image, content, options))
        return {};
    return image;
}

QByteArray encodePng(const QImage &image)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (image.isNull() || !buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, "PNG"))
        return {};
    return bytes;
}

QByteArray encodeVector(const PictureContent &content, const PictureOptions &options, PictureFormat format)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!buffer.open(QIODevice::WriteOnly))
        return {};
    if (format == PictureFormat::Svg) {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(kPdfDpi);
        generator.setSize(options.size);
        generator.setViewBox(QRect(QPoint(0, 0), options.size));
        generator.setTitle(QStringLiteral("Shardscope: ") + pictureViewName(options.view));
        return paintTo(generator, content, options) ? withPixelSize(bytes, options.size) : QByteArray();
    }
    QPdfWriter writer(&buffer);
    writer.setResolution(kPdfDpi);
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setPageSize(QPageSize(QSizeF(options.size) * kPointsPerPixel, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setTitle(QStringLiteral("Shardscope: ") + pictureViewName(options.view));
    writer.setCreator(QStringLiteral("Shardscope"));
    return paintTo(writer, content, options) ? bytes : QByteArray();
}

QString writeWholeFile(const QString &file, const QByteArray &bytes)
{
    if (bytes.isEmpty())
        return tr("%1: the picture could not be made; try a smaller size").arg(QDir::toNativeSeparators(file));
    return writeWhole(file, bytes);
}

} // namespace shardscope
