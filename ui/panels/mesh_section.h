// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/mesh.h"
#include "ui/look.h"
#include "ui/panels/experiment_section.h"

#include <array>

class QSpinBox;

namespace shardscope {

/// The ranks as a mesh: N = tp · dp · pp, where the scheme can use more than one axis.
class MeshSection : public ExperimentSection, public LookUser
{
    Q_OBJECT
public:
    explicit MeshSection(QWidget *parent = nullptr);
    void applyLook(const Look &look) override;

protected:
    void showExperiment() override;

private:
    std::array<QSpinBox *, kMeshAxisCount> m_extents;
};

} // namespace shardscope
