/* The loop of dovetail/tiles/kernels.py, search_scan, in C: for measuring against, never used by Dovetail.
   Built and called by scan_twin.py with the very arrays the kernel works on. */
#include <stdint.h>

enum { PAUSED, FULL, EXHAUSTED };
#define END UINT64_MAX

int64_t search_scan(const uint32_t *restrict first, const uint32_t *restrict base, uint32_t colours,
                    const uint64_t *restrict records, const uint32_t *restrict slots, uint16_t *restrict stock,
                    uint32_t *restrict seams, uint32_t *restrict cursor, uint64_t *restrict placed, uint32_t top,
                    uint32_t *restrict depth_, int64_t limit, uint32_t *restrict best, uint32_t *restrict best_at,
                    int64_t *restrict why)
{
    uint32_t depth = *depth_;
    int64_t made = 0;
    *why = PAUSED;
    while (made < limit) {
        uint32_t at = cursor[depth];
        uint64_t record = records[at];
        while (record != END && stock[record >> 52] == 0)
            record = records[++at];
        if (record == END) {
            if (depth == 0) { *why = EXHAUSTED; break; }
            stock[placed[--depth] >> 52]++;
            continue;
        }
        cursor[depth] = at + 1;
        stock[record >> 52]--;
        placed[depth] = record;
        seams[slots[4 * depth + 2]] = record >> 26 & 8191;
        seams[slots[4 * depth + 3]] = record >> 13 & 8191;
        depth++;
        made++;
        if (depth > *best) {
            *best = depth;
            for (uint32_t i = 0; i < depth; i++)
                best_at[i] = cursor[i] - 1;
        }
        if (depth == top) { *why = FULL; break; }
        cursor[depth] = first[base[depth] + seams[slots[4 * depth]] * colours + seams[slots[4 * depth + 1]]];
    }
    *depth_ = depth;
    return made;
}
