+incdir+.
gsm_plan_pkg.sv
gsm_link.sv
gsm_out_port.sv
gsm_router_table.sv
gsm_router.sv
gsm_network_interface.sv
gsm_network.sv
