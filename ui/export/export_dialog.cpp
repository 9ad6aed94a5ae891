// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <iterator>

namespace shardscope {

namespace {

struct SizePreset {
    const char *text;
    QSize size;
};
constexpr SizePreset kSizes[] = {{QT_TRANSLATE_NOOP("ExportDialog", "Slide 16:9, 1920 x 1080"), {1920, 1080}},
                                 {QT_TRANSLATE_NOOP("ExportDialog", "Slide 16:9, 4K"), {3840, 2160}},
                                 {QT_TRANSLATE_NOOP("ExportDialog", "Slide 4:3, 1600 x 1200"), {1600, 1200}},
                                 {QT_TRANSLATE_NOOP("ExportDialog", "Half a slide, 960 x 1080"), {960, 1080}}};
const char *const kThemes[] = {"light", "projector", "dark"};

QSpinBox *newPixels(const QString &name, int value)
{
    auto *spin = new QSpinBox;
    spin->setRange(64, kMostPixels);
    spin->setValue(value);
    spin->setLocale(QLocale::c());
    spin->setAccessibleName(name);
    spin->setSuffix(QStringLiteral(" px"));
    return spin;
}

} // namespace

ExportDialog::ExportDialog(PictureView view, QWidget *parent)
    : QDialog(parent), m_view(new QComboBox), m_preset(new QComboBox), m_width(newPixels(tr("Width"), 1920)),
      m_height(newPixels(tr("Height"), 1080)), m_scale(new QDoubleSpinBox), m_theme(new QComboBox),
      m_background(new QComboBox), m_problem(new QLabel)
{
    setWindowTitle(tr("Export a picture"));
    setAttribute(Qt::WA_DeleteOnClose);
    build(view);
    connect(m_preset, &QComboBox::activated, this, &ExportDialog::onSizeChosen);
    for (QSpinBox *side : {m_width, m_height})
        connect(side, &QSpinBox::valueChanged, this, &ExportDialog::onPixelsChanged);
    onPixelsChanged();
}

void ExportDialog::build(PictureView view)
{
    for (const PictureView each : pictureViews())
        m_view->addItem(pictureViewTitle(each), static_cast<int>(each));
    m_view->setCurrentIndex(m_view->findData(static_cast<int>(view)));
    for (const SizePreset &preset : kSizes)
        m_preset->addItem(tr(preset.text));
    m_preset->addItem(tr("Another size"));
    m_scale->setRange(0.5, 3);
    m_scale->setSingleStep(0.25);
    m_scale->setValue(1);
    m_scale->setLocale(QLocale::c());
    m_theme->addItems({tr("Light"), tr("Projector, strong contrast"), tr("Dark")});
    m_background->addItems({tr("Of the theme"), tr("White"), tr("Transparent")});
    auto *pixels = new QHBoxLayout;
    pixels->addWidget(m_width);
    pixels->addWidget(new QLabel(QStringLiteral("\u00d7")));
    pixels->addWidget(m_height);
    auto *form = new QFormLayout(this);
    form->addRow(tr("&Picture"), m_view);
    form->addRow(tr("&Size"), m_preset);
    form->addRow(tr("Pixels"), pixels);
    form->addRow(tr("Te&xt and lines"), m_scale);
    form->addRow(tr("&Theme"), m_theme);
    form->addRow(tr("&Background"), m_background);
    for (QWidget *field :
         {static_cast<QWidget *>(m_view), static_cast<QWidget *>(m_preset), static_cast<QWidget *>(m_scale),
          static_cast<QWidget *>(m_theme), static_cast<QWidget *>(m_background)}) {
        if (auto *label = qobject_cast<QLabel *>(form->labelForField(field)))
            field->setAccessibleName(label->text().remove(QLatin1Char('&')));
    }
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_problem->setWordWrap(true);
    m_problem->hide();
    form->addRow(m_problem);
    QPushButton *save = buttons->addButton(tr("Save as PNG, SVG or PDF…"), QDialogButtonBox::AcceptRole);
    save->setProperty("primary", true);
    save->setProperty("makesPicture", true);
    QPushButton *copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setProperty("makesPicture", true);
    form->addRow(buttons);
    // Only now it has a dialog whose default it can be: before, Enter cancelled.
    save->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(save, &QPushButton::clicked, this, [this] {
        Q_EMIT saveRequested(options());
        accept();
    });
    connect(copy, &QPushButton::clicked, this, [this] {
        Q_EMIT copyRequested(options());
        accept();
    });
}

void ExportDialog::onSizeChosen(int index)
{
    if (index >= static_cast<int>(std::size(kSizes)))
        return;
    const QSize size = kSizes[index].size;
    m_width->setValue(size.width());
    m_height->setValue(size.height());
}

/// The name of the size follows its pixels, and what cannot be made cannot be asked for.
void ExportDialog::onPixelsChanged()
{
    const QSize size(m_width->value(), m_height->value());
    const auto preset =
        std::find_if(std::begin(kSizes), std::end(kSizes), [&](const SizePreset &entry) { return entry.size == size; });
    m_preset->setCurrentIndex(static_cast<int>(preset - std::begin(kSizes)));
    const QString problem = sizeProblem(size);
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    for (QPushButton *button : findChildren<QPushButton *>()) {
        if (button->property("makesPicture").toBool())
            button->setEnabled(problem.isEmpty());
    }
}

PictureOptions ExportDialog::options() const
{
    PictureOptions options;
    options.view = static_cast<PictureView>(m_view->currentData().toInt());
    options.size = QSize(m_width->value(), m_height->value());
    options.scale = m_scale->value();
    options.theme = &Theme::byId(QString::fromLatin1(kThemes[m_theme->currentIndex()]));
    options.background = static_cast<PictureBackground>(m_background->currentIndex());
    return options;
}

} // namespace shardscope
