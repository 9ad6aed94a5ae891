# SPDX-License-Identifier: MIT
# LibTorch for the rank host, as the imported target ShardscopeLibTorch.
#
# SHARDSCOPE_LIBTORCH empty: the system's package. Otherwise an unpacked LibTorch or the `torch` folder of a wheel.
# Libraries are named by path and torch's own find_package(Torch) is avoided: it stops on unknown CUDA architectures
# and takes the system's library with the wheel's headers where both are installed. Nothing is cached, so another
# SHARDSCOPE_LIBTORCH never meets the last one's libraries.
#
# With SHARDSCOPE_CUDA also ShardscopeLibTorchCuda: its CUDA libraries, the CUDA runtime and NCCL's header.
#
# Sets ShardscopeLibTorch_FOUND and ShardscopeLibTorch_VERSION.
include(FindPackageHandleStandardArgs)

set(libtorch_where "")
if(SHARDSCOPE_LIBTORCH)
    get_filename_component(libtorch_root "${SHARDSCOPE_LIBTORCH}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
    # Wheels find each other beside the real folder.
    file(REAL_PATH "${libtorch_root}" libtorch_root)
    set(libtorch_where HINTS "${libtorch_root}" NO_DEFAULT_PATH)
endif()
find_path(libtorch_include ATen/ATen.h ${libtorch_where} PATH_SUFFIXES include NO_CACHE)
find_path(libtorch_gloo_include gloo/context.h ${libtorch_where} PATH_SUFFIXES include NO_CACHE)
find_library(libtorch_cpu_library torch_cpu ${libtorch_where} PATH_SUFFIXES lib lib64 NO_CACHE)
find_library(libtorch_c10_library c10 ${libtorch_where} PATH_SUFFIXES lib lib64 NO_CACHE)

# The version stands in one header in LibTorch 1, in another in late LibTorch 2.
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(libtorch_include AND EXISTS ${libtorch_include}/${header} AND NOT ShardscopeLibTorch_VERSION)
        file(STRINGS ${libtorch_include}/${header} version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
        string(REGEX MATCHALL "[0-9]+" version_numbers "${version_lines}")
        list(JOIN version_numbers "." ShardscopeLibTorch_VERSION)
    endif()
endforeach()

set(libtorch_needed libtorch_cpu_library libtorch_c10_library libtorch_include)
set(libtorch_remedy "Debian: apt-get install libtorch-dev libgloo-dev, or name one: -DSHARDSCOPE_LIBTORCH=DIR")
if(SHARDSCOPE_CUDA)
    include(${CMAKE_CURRENT_LIST_DIR}/ShardscopeCudaLibraries.cmake)
    list(APPEND libtorch_needed ${libtorch_cuda_needed})
    set(libtorch_remedy "packaging/setup.sh --cuda puts a LibTorch with CUDA into build/cuda-venv, and SHARDSCOPE_LIBTORCH names it or another: build/cuda-venv/torch")
endif()

find_package_handle_standard_args(ShardscopeLibTorch
    REQUIRED_VARS ${libtorch_needed}
    VERSION_VAR ShardscopeLibTorch_VERSION
    REASON_FAILURE_MESSAGE "${libtorch_remedy}")

# Folders that a program linked to a wheel or an unpacked LibTorch searches at run time: LibTorch's own, and where the
# libraries of a CUDA wheel find the toolkit's (wheels that pip unpacks beside `torch`, or the toolkit).
function(shardscope_libtorch_rpath result)
    get_filename_component(folders ${libtorch_cpu_library} DIRECTORY)
    file(GLOB wheel_folders ${libtorch_root}/../nvidia/*/lib)
    foreach(folder $ENV{CUDA_HOME}/lib64 /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64)
        file(GLOB needed ${folder}/libcudart.so* ${folder}/libcupti.so*)
        if(needed)
            list(APPEND wheel_folders ${folder})
        endif()
    endforeach()
    list(APPEND folders ${wheel_folders})
    list(REMOVE_DUPLICATES folders)
    set(${result} ${folders} PARENT_SCOPE)
endfunction()

if(ShardscopeLibTorch_FOUND AND NOT TARGET ShardscopeLibTorch)
    if(NOT libtorch_gloo_include)
        # A wheel carries c10d's headers but not Gloo's, which they include for a handful of types.
        set(libtorch_gloo_include ${CMAKE_CURRENT_LIST_DIR}/gloo_opaque)
    endif()
    add_library(ShardscopeLibTorch INTERFACE IMPORTED GLOBAL)
    target_include_directories(ShardscopeLibTorch SYSTEM INTERFACE ${libtorch_include} ${libtorch_gloo_include})
    if(ShardscopeLibTorch_VERSION VERSION_GREATER_EQUAL 2)
        # c10d's headers have come to include <torch/types.h>, which stands in the folder of the C++ frontend.
        target_include_directories(ShardscopeLibTorch SYSTEM INTERFACE ${libtorch_include}/torch/csrc/api/include)
    endif()
    target_compile_definitions(ShardscopeLibTorch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
    target_link_libraries(ShardscopeLibTorch INTERFACE ${libtorch_cpu_library} ${libtorch_c10_library} ${CMAKE_DL_LIBS})
    if(SHARDSCOPE_LIBTORCH)
        shardscope_libtorch_rpath(libtorch_folders)
        # DT_RPATH, not DT_RUNPATH: it also serves what libtorch_cpu itself loads.
        target_link_options(ShardscopeLibTorch INTERFACE LINKER:--disable-new-dtags)
        foreach(folder ${libtorch_folders})
            target_link_options(ShardscopeLibTorch INTERFACE LINKER:-rpath,${folder} LINKER:-rpath-link,${folder})
        endforeach()
    endif()

    if(SHARDSCOPE_CUDA)
        add_library(ShardscopeLibTorchCuda INTERFACE IMPORTED GLOBAL)
        target_include_directories(ShardscopeLibTorchCuda SYSTEM INTERFACE ${libtorch_cudart_include} ${libtorch_nccl_include}
            ${libtorch_cccl_include})
        # torch_cuda registers its kernels when it is loaded; no symbol of it need be used, and a linker that keeps only
        # what is used would leave it out.
        target_link_libraries(ShardscopeLibTorchCuda INTERFACE ShardscopeLibTorch
            -Wl,--push-state,--no-as-needed ${libtorch_cuda_library} ${libtorch_c10_cuda_library} ${libtorch_cudart_library}
            ${libtorch_nccl_library} -Wl,--pop-state)
    endif()
endif()
