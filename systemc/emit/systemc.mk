# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the emitted SystemC network; nothing of Gossamer is needed.
#   make        compile and run: two rounds, self-checking
# CXXSTD has to be the one that the SystemC library was built with.
CXXSTD = c++17
CXXFLAGS = -O1 -Wall -Wextra
TRACE =

.PHONY: all clean
all: gsm_network_main
	./gsm_network_main $(TRACE)
gsm_network_main: gsm_network_main.cpp gsm_network.hpp gsm_plan.hpp
	$(CXX) -std=$(CXXSTD) $(CXXFLAGS) -o $@ gsm_network_main.cpp -lsystemc
clean:
	rm -f gsm_network_main
