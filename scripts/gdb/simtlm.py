# SPDX-License-Identifier: Apache-2.0
"""GDB commands that show the state of a simulated GPU: gdb -x scripts/gdb/simtlm.py --args simtlm ...

For simulators with debug information (cmake --preset debug). They read memory alone: the state of the
simulation stays as it is.

    simtlm sms                 all SMs that hold a thread block
    simtlm warps SM            warps of an SM: where they are and what they wait for
    simtlm cache SM            lines of its L1 data cache; simtlm cache pN.M: of an L2 slice
    simtlm dram N              banks and requests of a memory channel
    simtlm gpu [EXPRESSION]    which GPU is shown: the object of SystemC with this name, or an expression
                               (without: "gpu", or the `this` of a frame)
"""
import re

import gdb

GPU = "simtlm::platform::gpu"
# Bits of warp_table that prevent a warp from issuing.
WAITS = ("done", "fetching", "at_barrier", "at_memory_barrier", "at_atomic", "at_copy", "at_engine",
         "scoreboard_blocked", "wrong_path")
SECTORS = ("reserved", "modified")


class NotThere(gdb.GdbError):
    pass


def elements(vector):
    """The elements of a std::vector, or of another container that starts with two pointers."""
    first, last = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return [first[i] for i in range(int(last - first))]


def pointee(type_):
    """The T of a std::unique_ptr<T>, whose own type may be missing from the debug information."""
    name = re.match(r"std::unique_ptr<(.*?)(, *std::default_delete<.*)?>$", str(type_.strip_typedefs()))
    return gdb.lookup_type(name.group(1)).pointer()


def target(pointer):
    """The object that a pointer refers to, with its dynamic type; None for a null pointer."""
    return pointer.cast(pointer.dynamic_type).dereference() if int(pointer) else None


def owned(unique):
    """The object owned by a std::unique_ptr."""
    return target(unique.address.cast(pointee(unique.type).pointer()).dereference())


def all_owned(vector):
    """The objects owned by a std::vector of std::unique_ptr."""
    begin, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    kind = pointee(begin.type.strip_typedefs().target()).pointer()
    first = begin.cast(kind)
    return [target(first[i]) for i in range(int(end.cast(kind) - first))]


def has(value, name):
    try:
        value[name]
        return True
    except gdb.error:
        return False


def name_of(module):
    """The hierarchical name of a SystemC object."""
    text = member_of_base(module, "m_name")
    return text["_M_dataplus"]["_M_p"].string() if text is not None else "?"


def member_of_base(value, member):
    """A member of a class or of its bases."""
    if has(value, member):
        return value[member]
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class:
            found = member_of_base(value[field], member)
            if found is not None:
                return found
    return None


class State:
    """The GPU that is shown."""
    chosen = None

    @classmethod
    def gpu(cls):
        if cls.chosen:
            return cls.of_expression(cls.chosen)
        frame = gdb.selected_frame()
        while frame is not None:
            try:
                this = frame.read_var("this")
                if str(this.type.target().unqualified()) == GPU:
                    return this.dereference()
            except (ValueError, RuntimeError):
                pass
            frame = frame.older()
        return cls.of_expression("gpu")

    @classmethod
    def parts(cls):
        """The blocks of the GPU."""
        return owned(cls.gpu()["parts_"])

    @staticmethod
    def of_expression(text):
        try:
            value = gdb.parse_and_eval(text)
            if value.type.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
                value = value.referenced_value()
            if str(value.type.unqualified().strip_typedefs()) == GPU:
                return value
        except gdb.error:
            pass
        try:  # name of a SystemC object
            found = gdb.parse_and_eval(
                "((void *(*)(const char *)) 'sc_core::sc_find_object(char const*)')"
                f'("{text}")')
            if int(found) != 0:
                found = found.cast(gdb.lookup_type("sc_core::sc_object").pointer())
                return found.cast(found.dynamic_type).dereference()
        except gdb.error as error:
            raise NotThere(f"no GPU is found ({error}); name one: simtlm gpu EXPRESSION") from error
        raise NotThere(f'there is no GPU "{text}"; name one: simtlm gpu EXPRESSION')


def sms():
    return [m for c in all_owned(State.parts()["clusters"]) for m in all_owned(c["sms_"])]


def numbered(items, argument, what):
    try:
        return items[int(argument)]
    except (ValueError, IndexError):
        raise NotThere(f"{what} are numbered from 0 to {len(items) - 1}") from None


def show_sms(_):
    for number, sm in enumerate(sms()):
        blocks = int(member_of_base(sm, "ctas_")["resident_"])
        if blocks == 0:
            continue
        resident = bin(int(sm["warps_"]["resident"])).count("1")
        print(f"SM {number} {name_of(sm)}: {blocks} CTAs, {resident} warps, "
              f"{int(sm['statistics_']['warp_instructions'])} warp instructions completed")


def show_warps(argument):
    sm = numbered(sms(), argument, "SMs")
    table = sm["warps_"]
    for number, warp in enumerate(elements(table["warp"])):
        if int(table["resident"]) >> number & 1 == 0:
            continue
        waits = [w for w in WAITS if int(table[w]) >> number & 1]
        print(f"warp {number} CTA slot {int(warp['cta'])}: behind {int(warp['last_pc']):#06x}, "
              f"{int(warp['in_pipeline'])} in the pipeline, {int(warp['stores'])} stores"
              + (", " + " ".join(waits) if waits else ""))


def tags_of(argument):
    if not argument.startswith("p"):
        return owned(numbered(sms(), argument, "SMs")["caches_"])["data"]["engine_"]["tags_"]
    partition, _, slice_ = argument[1:].partition(".")
    p = numbered(all_owned(State.parts()["partitions"]), partition, "partitions")
    sub = numbered(all_owned(p["sub_partitions_"]), slice_ or "0", "slices")
    return member_of_base(owned(sub["engine_"]), "tags_")


def show_cache(argument):
    tags = tags_of(argument or "0")
    sets, ways = int(tags["sets_"]), int(tags["ways_"])
    counted = tags["counters_"]
    print(f"{sets} sets, {ways} ways: {int(counted['accesses'])} accesses, "
          f"{int(counted['misses'])} misses, {int(counted['pending_hits'])} pending hits")
    lines = tags["lines_"]["_M_impl"]["_M_start"]
    shown = 0
    for line in range(sets * ways):
        flags = lines[line]["flags"]
        if int(flags["present"]) == 0:
            continue
        shown += 1
        if shown > 64:
            print("...")
            break
        marks = [f"{m} {int(flags[m]):#x}" for m in SECTORS if int(flags[m])]
        print(f"set {line // ways} way {line % ways}: {int(lines[line]['tag']):#x}, sectors "
              f"{int(flags['present']):#x}" + (", " + ", ".join(marks) if marks else ""))


def show_dram(argument):
    channel = numbered(all_owned(State.parts()["channels"]), argument or "0", "channels")
    if not has(channel, "machines_"):
        raise NotThere(f"{name_of(channel)} is no built-in DRAM channel")
    print(f"{name_of(channel)}: {int(channel['in_channel_'])} requests inside")
    for number, bank in enumerate(elements(channel["machines_"]["timing_"]["bank_"])):
        if int(bank["active"]):
            print(f"bank {number}: row {int(bank['row']):#x} is open")


class Simtlm(gdb.Command):
    """Shows a simulated GPU: simtlm sms | warps SM | cache SM|pN.M | dram N | gpu EXPRESSION"""
    VERBS = {"sms": show_sms, "warps": show_warps, "cache": show_cache, "dram": show_dram}

    def __init__(self):
        super().__init__("simtlm", gdb.COMMAND_DATA)

    def invoke(self, argument, _):
        verb, _, rest = argument.strip().partition(" ")
        if verb == "gpu":
            State.chosen = rest or None
            print(f"GPU {name_of(State.gpu())}")
        elif verb in self.VERBS:
            self.VERBS[verb](rest.strip())
        else:
            raise gdb.GdbError(self.__doc__)

    def complete(self, text, word):
        return [v for v in (*self.VERBS, "gpu") if v.startswith(word)] if " " not in text.strip() else []


Simtlm()
