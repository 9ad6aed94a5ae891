// SPDX-License-Identifier: MIT
#include "engine/plan/mesh.h"
#include "engine/plan/placement.h"
#include "engine/plan/tensor.h"

#include <QTest>
#include <rapidcheck.h>

#include <set>

using namespace shardscope;

namespace {

Mesh anyMesh()
{
    return {{*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 5), *rc::gen::inRange(1, 5)}};
}

} // namespace

class TestMesh : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void tensorNeighboursAreNeighbouringRanks();
    void coordinatesNumberTheRanks();
    void groupsPartitionTheRanks();
    void slicesCoverAndDoNotOverlap();
    void localShapes();
    void descriptions();
};

void TestMesh::tensorNeighboursAreNeighbouringRanks()
{
    const Mesh mesh{{4, 2, 3}};
    QCOMPARE(mesh.size(), 24);
    QCOMPARE(mesh.group(5, MeshAxis::Tp), (std::vector<int>{4, 5, 6, 7}));
    QCOMPARE(mesh.group(5, MeshAxis::Dp), (std::vector<int>{1, 5}));
    QCOMPARE(mesh.group(5, MeshAxis::Pp), (std::vector<int>{5, 13, 21}));
    QCOMPARE(axisName(MeshAxis::Pp), "pp");
}

void TestMesh::coordinatesNumberTheRanks()
{
    QVERIFY(rc::check("rank = (pp * dp_size + dp) * tp_size + tp", [] {
        const Mesh mesh = anyMesh();
        for (int rank = 0; rank < mesh.size(); ++rank) {
            const int tp = mesh.coordinate(rank, MeshAxis::Tp);
            const int dp = mesh.coordinate(rank, MeshAxis::Dp);
            const int pp = mesh.coordinate(rank, MeshAxis::Pp);
            RC_ASSERT((pp * mesh.extent(MeshAxis::Dp) + dp) * mesh.extent(MeshAxis::Tp) + tp == rank);
            RC_ASSERT(tp < mesh.extent(MeshAxis::Tp));
        }
    }));
}

void TestMesh::groupsPartitionTheRanks()
{
    QVERIFY(rc::check("the groups of an axis meet every rank once, each rank inside its own", [] {
        const Mesh mesh = anyMesh();
        for (const MeshAxis axis : kMeshAxes) {
            std::set<int> seen;
            for (int rank = 0; rank < mesh.size(); ++rank) {
                const std::vector<int> group = mesh.group(rank, axis);
                RC_ASSERT(static_cast<int>(group.size()) == mesh.extent(axis));
                RC_ASSERT(group[static_cast<std::size_t>(mesh.coordinate(rank, axis))] == rank);
                RC_ASSERT(mesh.group(group.front(), axis) == group);
                seen.insert(group.begin(), group.end());
            }
            RC_ASSERT(static_cast<int>(seen.size()) == mesh.size());
        }
    }));
}

void TestMesh::slicesCoverAndDoNotOverlap()
{
    QVERIFY(rc::check("slices of n elements follow one another, sizes differ by at most one", [] {
        const int count = *rc::gen::inRange(1, 65);
        const std::int64_t elements = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
        std::int64_t next = 0;
        for (int i = 0; i < count; ++i) {
            const Slice slice = sliceOf(elements, i, count);
            RC_ASSERT(slice.begin == next);
            RC_ASSERT(slice.length == elements / count || slice.length == elements / count + 1);
            next += slice.length;
        }
        RC_ASSERT(next == elements);
        RC_ASSERT(sliceOf(elements, count - 1, count).length == (elements + count - 1) / count); // the largest
    }));
}

void TestMesh::localShapes()
{
    Tensor w;
    w.shape = {{"h", 6}, {"f", 8}};
    w.dtype = DType::BF16;
    const Mesh mesh{{4, 1, 1}};
    QCOMPARE(localShape(w, mesh, 3), (std::vector<std::int64_t>{6, 8}));
    QCOMPARE(localBytes(w, mesh, 3), 96);
    along(w.layout, MeshAxis::Tp) = Placement::shard(1);
    QCOMPARE(localShape(w, mesh, 3), (std::vector<std::int64_t>{6, 2}));
    QCOMPARE(localBytes(w, mesh, 3), 24);
    along(w.layout, MeshAxis::Tp) = Placement::partial();
    QCOMPARE(localShape(w, mesh, 3), (std::vector<std::int64_t>{6, 8})); // an addend has the full size
    along(w.layout, MeshAxis::Tp) = Placement::shard(0);
    along(w.layout, MeshAxis::Dp) = Placement::shard(1);
    QCOMPARE(localShape(w, Mesh{{2, 4, 1}}, 5), (std::vector<std::int64_t>{3, 2})); // two axes, two cuts
}

void TestMesh::descriptions()
{
    QCOMPARE(describe(Placement::replicated()), "replicated");
    QCOMPARE(describe(Placement::shard(0)), "shard rows");
    QCOMPARE(describe(Placement::shard(1)), "shard columns");
    QCOMPARE(describe(Placement::shard(0), 1), "shard elements");
    QCOMPARE(describe(Placement::partial()), "partial");
}

QTEST_GUILESS_MAIN(TestMesh)
#include "tst_mesh.moc"
