// SPDX-License-Identifier: Apache-2.0
// The shipped class tables. Found with search_one_packet (which finds them again from rule and
// seed) unless the provenance states otherwise; the tests simulate every one in all orders of its
// sides.
#include <array>

#include "gossamer/collectives/all_gather/class_tables.hpp"

namespace gossamer {

namespace {

// Sides, rule, classes, steps; in-ports, one word a class, one digit an out-port; provenance.
constexpr auto kLibrary = std::to_array<LibraryTable>({
    {"3x3", "1,0", 3, 2, "2301 3310 2210", "annealing, rule 1,0 mod 3, seed 1, 9491 moves"},
    {"4x3", "1,0", 2, 4, "1310 3001", "annealing, rule 1,0 mod 2, seed 1, 1 moves"},
    {"5x3", "0,1", 3, 5, "3030 3002 3000", "annealing, rule 0,1 mod 3, seed 1, 20 moves"},
    {"6x3", "1,0", 2, 6, "1011 1010", "annealing, rule 1,0 mod 2, seed 1, 46 moves"},
    {"5x4", "0,1", 2, 6, "2302 2331", "annealing, rule 0,1 mod 2, seed 1, 88 moves"},
    {"7x3", "0,1", 3, 7, "3030 3002 3000", "annealing, rule 0,1 mod 3, seed 1, 20 moves"},
    {"8x3", "1,0", 2, 8, "1010 1000", "annealing, rule 1,0 mod 2, seed 1, 6 moves"},
    {"5x5", "3,1", 5, 7, "2300 1000 1001 1001 2311",
     "annealing over class tables, seed not recorded"},
    {"7x4", "2,7", 14, 8, "3031 1010 1032 1010 1032 3330 1032 2212 1032 1010 1032 1010 1202 1010",
     "annealing, rule 2,7 mod 14, seed 1, 1759080 moves"},
    {"10x3", "1,0", 2, 10, "1010 1000", "annealing, rule 1,0 mod 2, seed 1, 6 moves"},
    {"6x5", "1,0", 2, 9, "1300 2011", "annealing, rule 1,0 mod 2, seed 1, 489 moves"},
    {"7x5", "1,0", 7, 11, "1210 3210 3010 1210 1300 2011 3010",
     "annealing, rule 1,0 mod 7, seed 1, 169194 moves"},
    {"12x3", "1,1", 3, 11, "1300 3230 3010", "annealing, rule 1,1 mod 3, seed 1, 60166 moves"},
    {"9x4", "1,0", 9, 11, "2011 1000 1011 2301 1011 1000 1011 1011 1300",
     "annealing, rule 1,0 mod 9, seed 1, 304950 moves"},
    {"6x6", "2,5", 6, 11, "2332 3000 1211 2332 3300 2211",
     "annealing over class tables, seed not recorded"},
    {"8x5", "3,0", 8, 12, "3010 1210 1300 1210 3010 1210 3010 2011",
     "annealing, rule 3,0 mod 8, seed 1, 1302077 moves"},
    {"7x6", "2,7", 14, 14, "1230 3201 1212 1230 1310 2030 1202 3012 3030 3030 3211 1032 1212 3010",
     "annealing, rule 2,7 mod 14, seed 1, 2460818 moves"},
    {"9x5", "2,0", 9, 15, "1300 1300 2011 1210 3210 3210 3010 3210 2011",
     "annealing, rule 2,0 mod 9, seed 1, 490693 moves"},
    {"7x7", "6,6", 7, 14, "1002 1211 3200 1032 1211 3232 3000",
     "annealing over class tables, seed not recorded"},
    {"10x5", "2,2", 5, 14, "1001 2212 1011 1001 3330",
     "annealing, rule 2,2 mod 5, seed 1, 162264 moves"},
    {"9x6", "1,1", 3, 15, "3000 1211 1032", "annealing, rule 1,1 mod 3, seed 1, 62251 moves"},
    {"8x7", "1,0", 4, 20, "2301 1010 1010 1010", "annealing, rule 1,0 mod 4, seed 1, 20100 moves"},
    {"10x6", "1,1", 2, 20, "3202 1030", "annealing, rule 1,1 mod 2, seed 1, 40019 moves"},
    {"9x7", "1,0", 9, 22, "1001 1001 3010 1210 3010 1210 1001 1001 1001",
     "annealing, rule 1,0 mod 9, seed 1, 535003 moves"},
    {"8x8", "3,1", 4, 18, "2300 2231 1300 1232", "annealing over class tables, seed not recorded"},
    {"10x7", "1,0", 2, 27, "3011 1200", "annealing, rule 1,0 mod 2, seed 1, 35 moves"},
    {"9x8", "2,3", 6, 27, "1201 2310 1031 1001 3200 1000",
     "annealing, rule 2,3 mod 6, seed 1, 60574 moves"},
    {"10x9", "3,4", 6, 32, "3200 3300 2332 3231 2312 1332",
     "annealing, rule 3,4 mod 6, seed 1, 102889 moves"},
    {"10x10", "1,4", 5, 30, "3001 1001 1201 2012 2002",
     "annealing, rule 1,4 mod 5, seed 1, 261467 moves"},
    {"3x3x3", "2,1,2", 3, 5, "433413 244004 300530",
     "annealing over class tables, seed not recorded"},
    {"4x3x3", "1,0,0", 2, 8, "451001 230110", "annealing, rule 1,0,0 mod 2, seed 1, 13050 moves"},
    {"5x3x3", "0,1,2", 3, 10, "534512 244530 233223",
     "annealing, rule 0,1,2 mod 3, seed 1, 813927 moves"},
    {"4x4x3", "1,1,0", 2, 10, "454020 120233", "annealing, rule 1,1,0 mod 2, seed 1, 43270 moves"},
    {"6x3x3", "1,2,0", 3, 11, "225422 441101 151030",
     "annealing, rule 1,2,0 mod 3, seed 1, 81342 moves"},
    {"4x4x4", "2,3,1", 4, 14, "221013 100111 144114 240501",
     "annealing, rule 2,3,1 mod 4, seed 1, 495243 moves"},
    {"6x4x4", "2,1,1", 4, 21, "200000 305032 333023 550554",
     "annealing, rule 2,1,1 mod 4, seed 1, 283796 moves"},
    {"6x6x3", "1,1,0", 3, 20, "431111 155111 334123",
     "annealing, rule 1,1,0 mod 3, seed 1, 1432131 moves"},
    {"5x5x5", "1,1,1", 5, 26, "144552 533553 203131 141101 134521",
     "annealing, rule 1,1,1 mod 5, seed 1, 329737 moves"},
    {"6x6x6", "5,3,3", 6, 40, "150151 240034 150050 304403 223003 455404",
     "annealing over class tables, seed not recorded"},
    {"3x3x3x3", "1,1,0,0", 3, 16, "45303001 22622622 44400320",
     "annealing, rule 1,1,0,0 mod 3, seed 1, 52748 moves"},
});

}  // namespace

std::span<const LibraryTable> one_packet_library() { return kLibrary; }

}  // namespace gossamer
