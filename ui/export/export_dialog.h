// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/export/picture.h"

#include <QDialog>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace shardscope {

/// Asks what to export; never blocks the window. The file is asked for by whoever saves.
class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    explicit ExportDialog(PictureView view, QWidget *parent = nullptr);
    [[nodiscard]] PictureOptions options() const;

Q_SIGNALS:
    /// The user wants this picture in a file.
    void saveRequested(const shardscope::PictureOptions &options);
    /// The user wants it in the clipboard.
    void copyRequested(const shardscope::PictureOptions &options);

private:
    void build(PictureView view);
    void onSizeChosen(int index);
    void onPixelsChanged();

    QComboBox *m_view;
    QComboBox *m_preset;
    QSpinBox *m_width;
    QSpinBox *m_height;
    QDoubleSpinBox *m_scale;
    QComboBox *m_theme;
    QComboBox *m_background;
    QLabel *m_problem; ///< why a picture of this size cannot be made
};

} // namespace shardscope
