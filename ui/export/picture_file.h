// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/export/picture.h"

#include <QByteArray>
#include <QImage>

namespace shardscope {

enum class PictureFormat { Png, Svg, Pdf };
/// By the file's ending.
[[nodiscard]] std::optional<PictureFormat> pictureFormatOf(const QString &file);

/// The picture as pixels.
[[nodiscard]] QImage pictureImage(const PictureContent &content, const PictureOptions &options);
/// A PNG file's bytes; empty when the encoder failed. Safe outside the GUI thread.
[[nodiscard]] QByteArray encodePng(const QImage &image);
/// The picture as SVG or PDF; empty when it could not be made.
[[nodiscard]] QByteArray encodeVector(const PictureContent &content, const PictureOptions &options,
                                      PictureFormat format);

/// Writes the file whole or not at all; the problem, or empty.
[[nodiscard]] QString writeWholeFile(const QString &file, const QByteArray &bytes);

} // namespace shardscope
