// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/mesh_section.h"

#include "engine/plan/option_limits.h"

#include <QGridLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>

namespace shardscope {

namespace {

QString meaning(MeshAxis axis)
{
    switch (axis) {
    case MeshAxis::Tp:
        return MeshSection::tr("Tensor parallel: ranks that share each layer. Activations travel between them.");
    case MeshAxis::Dp:
        return MeshSection::tr("Data parallel: replicas with other tokens. Gradients travel between them.");
    case MeshAxis::Pp:
        break;
    }
    return MeshSection::tr("Pipeline parallel: stages with other layers. Activations travel from stage to stage.");
}

} // namespace

MeshSection::MeshSection(QWidget *parent) : ExperimentSection(parent)
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    int column = 0;
    for (const MeshAxis axis : kMeshAxes) {
        auto *spin = new QSpinBox;
        const QString word = QString::fromUtf8(axisName(axis).data(), static_cast<qsizetype>(axisName(axis).size()));
        spin->setKeyboardTracking(false);
        spin->setLocale(QLocale::c());
        spin->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        spin->setAccessibleName(tr("Mesh, %1").arg(word));
        spin->setToolTip(meaning(axis) + QLatin1Char(' ') + tr("N = tp · dp · pp."));
        auto *label = new QLabel(word);
        label->setBuddy(spin);
        label->setToolTip(spin->toolTip());
        grid->addWidget(label, 0, column);
        grid->addWidget(spin, 1, column);
        grid->setColumnStretch(column++, 1);
        m_extents[static_cast<std::size_t>(axis)] = spin;
        connect(spin, &QSpinBox::valueChanged, this, [this, axis](int extent) {
            Experiment wanted = experiment();
            wanted.mesh.setExtent(axis, extent);
            Q_EMIT edited(wanted, 0);
        });
    }
}

void MeshSection::showExperiment()
{
    // Single layers and the bug lab are tensor-parallel alone.
    setVisible(experiment().repeatedLayer().has_value());
    for (const MeshAxis axis : kMeshAxes) {
        QSpinBox *spin = m_extents[static_cast<std::size_t>(axis)];
        const QSignalBlocker quiet(spin);
        const int extent = experiment().extent(axis);
        // An experiment that was opened may be larger than what the controls go to.
        spin->setRange(1, std::max(extent, kMostRanksInRun / (experiment().ranks() / extent)));
        spin->setValue(experiment().extent(axis));
    }
}

void MeshSection::applyLook(const Look &look)
{
    layout()->setSpacing(look.px(4));
}

} // namespace shardscope
