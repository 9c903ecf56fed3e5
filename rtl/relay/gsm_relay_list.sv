// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A node's list of sends, as constants: combinational.
module gsm_relay_list #(
    // Bits of an entry and of an entry's number, 1 or more.
    parameter int EntryBits = 16,
    parameter int NumberBits = 3,
    // Entries of the node, 0..EntriesMax, and of the longest list.
    parameter int ListLength = 0,
    parameter int EntriesMax = 1,
    // The entries, the first in the low bits.
    parameter logic [EntriesMax*EntryBits-1:0] List = '0
) (
    // The router asks for an entry.
    input  logic [NumberBits-1:0] number_i,
    // There is such an entry; its content, 0 if there is no such entry.
    output logic                  valid_o,
    output logic [ EntryBits-1:0] entry_o
);

  logic [EntryBits:0] found;
  assign found = named(number_i);
  assign {valid_o, entry_o} = found;
  function automatic logic [EntryBits:0] named(input logic [NumberBits-1:0] number);
    named = '0;
    for (int i = 0; i < EntriesMax; i++) begin
      if (32'(number) == i) named = {i < ListLength, List[i*EntryBits+:EntryBits]};
    end
  endfunction

  `GSM_PARAMETER(ListLegal_A, ListLength >= 0 && ListLength <= EntriesMax,
                 "ListLength must be 0..EntriesMax")

endmodule

`default_nettype wire
