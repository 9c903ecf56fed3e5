# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the emitted SystemC network with the installed library gossamer-systemc.
#   make        compile and run: two rounds, self-checking
# CXXSTD has to be the one that the SystemC library was built with, C++17 or later.
CXXSTD = c++17
CXXFLAGS = -O1 -Wall -Wextra
TRACE =
# Another way to the library than pkg-config (for another prefix: PKG_CONFIG_PATH).
GOSSAMER_CFLAGS = $(shell pkg-config --cflags gossamer-systemc)
GOSSAMER_LIBS = $(shell pkg-config --libs gossamer-systemc)

# The networks: one unless several plans have been emitted into this directory.
PROGRAMS = $(basename $(wildcard *_network_main.cpp))

.PHONY: all clean
.SECONDARY:
all: $(PROGRAMS:%=run@%)
$(PROGRAMS:%=run@%): run@%: %
	./$< $(TRACE)
%_network_main.o: %_network_main.cpp %_network.hpp %_plan.hpp
	$(CXX) -std=$(CXXSTD) $(CXXFLAGS) $(GOSSAMER_CFLAGS) -c -o $@ $<
%_network_main: %_network_main.o
	$(CXX) -o $@ $< $(GOSSAMER_LIBS)
clean:
	rm -f $(PROGRAMS) $(PROGRAMS:%=%.o)
