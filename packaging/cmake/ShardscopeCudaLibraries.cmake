# SPDX-License-Identifier: MIT
# The CUDA part of FindShardscopeLibTorch.cmake, which includes this: libtorch_cuda and what compiling against it needs.
# CUDA's runtime and NCCL come from wheels beside `torch` where it has them, for it was built with those; else from the
# toolkit: CUDA_HOME, /usr/local/cuda. Wheels carry libraries under their full names only.
find_library(libtorch_cuda_library torch_cuda ${libtorch_where} PATH_SUFFIXES lib lib64 NO_CACHE)
find_library(libtorch_c10_cuda_library c10_cuda ${libtorch_where} PATH_SUFFIXES lib lib64 NO_CACHE)

file(GLOB libtorch_wheel_parts ${libtorch_root}/../nvidia/cu* ${libtorch_root}/../nvidia/cuda_runtime ${libtorch_root}/../nvidia/nccl)
set(libtorch_cuda_places ${libtorch_wheel_parts} $ENV{CUDA_HOME} /usr/local/cuda)
set(libtorch_cuda_where HINTS ${libtorch_cuda_places} NO_CACHE)
# A wheel of the runtime may lie there without the one that its header includes.
find_path(libtorch_cudart_include crt/host_defines.h ${libtorch_cuda_where} PATH_SUFFIXES include)
# Headers of half-precision types, which NCCL's header includes, ask for it; since CUDA 13 it lies apart.
find_path(libtorch_cccl_include nv/target ${libtorch_cuda_where} PATH_SUFFIXES include include/cccl)
find_path(libtorch_nccl_include nccl.h ${libtorch_cuda_where} PATH_SUFFIXES include)

# The runtime whose version is that of its header.
set(libtorch_cudart_names cudart)
if(libtorch_cudart_include)
    file(STRINGS ${libtorch_cudart_include}/cuda_runtime_api.h cudart_version REGEX "define CUDART_VERSION +[0-9]+")
    string(REGEX MATCH "[0-9][0-9]+" cudart_version "${cudart_version}")
    math(EXPR cudart_version "${cudart_version} / 1000")
    list(PREPEND libtorch_cudart_names libcudart.so.${cudart_version})
endif()
find_library(libtorch_cudart_library NAMES ${libtorch_cudart_names} ${libtorch_cuda_where} PATH_SUFFIXES lib lib64)
find_library(libtorch_nccl_library NAMES libnccl.so.2 nccl ${libtorch_cuda_where} PATH_SUFFIXES lib lib64)

set(libtorch_cuda_needed libtorch_cuda_library libtorch_c10_cuda_library libtorch_cudart_library libtorch_cudart_include
    libtorch_nccl_library libtorch_nccl_include libtorch_cccl_include)
