# SPDX-License-Identifier: MIT
# Reading the containers and Qt costs more than compiling our own code, so each family of targets with the same flags
# shares one precompiled header. ccache keeps such objects only when the preprocessor is told to go through it
# (-fpch-preprocess) and with the sloppiness that the presets set.
set(SHARDSCOPE_STANDARD_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map> <memory> <optional>
    <set> <string> <string_view> <utility> <variant> <vector>)
# What the window's files use most. Not <QtWidgets>: what its headers define as templates is compiled again in every file.
set(SHARDSCOPE_WINDOW_HEADERS <QCoreApplication> <QDir> <QRegularExpression> <QString> <QStringList> <QTimer> <QAction>
    <QCheckBox> <QComboBox> <QDoubleSpinBox> <QFontMetricsF> <QGridLayout> <QHBoxLayout> <QKeyEvent> <QLabel> <QPainter>
    <QPainterPath> <QPushButton> <QScrollArea> <QScrollBar> <QSignalBlocker> <QSpinBox> <QToolTip> <QVBoxLayout> <QWidget>)

function(shardscope_precompile owner)
    target_precompile_headers(${owner} PRIVATE ${ARGN})
    target_compile_options(${owner} PRIVATE -fpch-preprocess)
endfunction()

# `target` must have the owner's flags; the compiler refuses the header otherwise.
function(shardscope_reuse_precompiled target owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    target_compile_options(${target} PRIVATE -fpch-preprocess)
endfunction()
