# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the emitted SystemC network; nothing of Gossamer is needed.
#   make        compile and run: two rounds, self-checking
# CXXSTD has to be the one that the SystemC library was built with.
CXXSTD = c++17
CXXFLAGS = -O1 -Wall -Wextra
TRACE =

# The networks: one unless several plans have been emitted into this directory.
PROGRAMS = $(basename $(wildcard *_network_main.cpp))

.PHONY: all clean
.SECONDARY:
all: $(PROGRAMS:%=run@%)
$(PROGRAMS:%=run@%): run@%: %
	./$< $(TRACE)
%_network_main.o: %_network_main.cpp %_network.hpp %_routers.hpp %_plan.hpp
	$(CXX) -std=$(CXXSTD) $(CXXFLAGS) -c -o $@ $<
%_network_main: %_network_main.o
	$(CXX) -o $@ $< -lsystemc
clean:
	rm -f $(PROGRAMS) $(PROGRAMS:%=%.o)
