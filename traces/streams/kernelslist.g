MemcpyHtoD,0x00007f5800000000,65536
MemcpyHtoD,0x00007f5810000000,65536
kernel-1.traceg.xz
kernel-2.traceg.xz
kernel-3.traceg.xz
kernel-4.traceg.xz
