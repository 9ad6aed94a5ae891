# SPDX-License-Identifier: MIT
target_sources(shardscope_ui PRIVATE
    app_style.cpp
    header_bar.cpp
    header_bar.h
    look.cpp
    main_window.cpp
    main_window.h
    message_bar.cpp
    message_bar.h
    text_window.cpp
    texts.cpp
    veil.cpp
    window_actions.cpp
    window_actions.h
    workbench.cpp
    workbench_derivation.cpp
    workbench.h
)
