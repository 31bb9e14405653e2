// SPDX-License-Identifier: Apache-2.0
#include "platform/study/comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform::study {

namespace {

constexpr std::size_t name_width = 44;

std::string about(const char* which, const statistics_run& r) {
    std::string text = fmt::format(
        "{}  {}: {}, {} {}, {} core cycles, {}\n", which, r.file(), r.presets(), r.kernels().size(),
        r.kernels().size() == 1 ? "kernel" : "kernels", readable_number(r.cycles()), r.ended());
    if (const std::string begin = r.resumed(); !begin.empty()) text += "   " + begin + "\n";
    return text;
}

std::string row_of(const statistic_difference& d) {
    return fmt::format("  {:<{}} {:>16} {:>16} {:>10}{}  {}\n", shortened(d.name, name_width),
                       name_width, readable_number(d.a), readable_number(d.b),
                       readable_change(d.a, d.b), d.within ? " ~" : "  ", d.unit);
}

std::string details_of(const std::string& title, const kernel_difference& k, std::size_t most) {
    const auto beyond = static_cast<std::size_t>(
        std::count_if(k.differences.begin(), k.differences.end(),
                      [](const statistic_difference& d) { return !d.within; }));
    if (beyond == 0) return {};
    std::string text = fmt::format("\n{}: {} of {} statistics differ", title, beyond, k.compared);
    if (k.differences.size() > beyond)
        text += fmt::format(", {} more within their tolerance", k.differences.size() - beyond);
    text += "\n";
    const std::size_t shown = most == 0 ? k.differences.size() : std::min(most, beyond);
    for (std::size_t i = 0; i < shown; ++i) text += row_of(k.differences[i]);
    if (most != 0 && beyond > shown) text += fmt::format("  ... and {} more\n", beyond - shown);
    return text;
}

json json_of(const kernel_difference& k) {
    json differences = json::array();
    for (const statistic_difference& d : k.differences) {
        json one = {{"statistic", d.name}, {"unit", d.unit}, {"a", d.a}, {"b", d.b}};
        one["change"] = d.b - d.a;
        one["relative"] = d.a != 0 ? json((d.b - d.a) / std::abs(d.a)) : json(nullptr);
        one["within"] = d.within;
        differences.push_back(std::move(one));
    }
    return differences;
}

}  // namespace

std::string comparison_text(const statistics_run& a, const statistics_run& b, const comparison& c,
                            std::size_t most) {
    std::string text = about("A", a) + about("B", b);
    if (!c.options.empty()) {
        text += "\nOptions that differ:\n";
        for (const option_difference& o : c.options)
            text += fmt::format("  {} {} -> {}\n", o.name, o.a, o.b);
    }
    if (!c.differ()) {
        const bool exact =
            c.total.differences.empty() &&
            std::all_of(c.kernels.begin(), c.kernels.end(),
                        [](const kernel_difference& k) { return k.differences.empty(); });
        return text + (exact ? "\nAll statistics are equal.\n"
                             : "\nAll statistics are equal within their tolerances.\n");
    }
    if (c.ended_a != c.ended_b)
        text += fmt::format("\nA ended as '{}', B as '{}'.\n", c.ended_a, c.ended_b);
    text += fmt::format("\n{:<{}} {:>16} {:>16} {:>10}\n", "kernel", name_width + 2, "cycles A",
                        "cycles B", "change");
    std::size_t equal = 0;
    const auto row = [&](const std::string& name, const kernel_difference& k) {
        text += fmt::format("{:<{}} {:>16} {:>16} {:>10}\n", shortened(name, name_width + 2),
                            name_width + 2, k.a ? readable_number(k.cycles_a) : "-",
                            k.b ? readable_number(k.cycles_b) : "-",
                            !k.b   ? "only in A"
                            : !k.a ? "only in B"
                                   : readable_change(k.cycles_a, k.cycles_b));
    };
    for (const kernel_difference& k : c.kernels) {
        if (k.beyond())
            row(k.key().text(), k);
        else
            ++equal;
    }
    if (equal != 0)
        text += fmt::format("({} {} equal)\n", equal, equal == 1 ? "kernel is" : "kernels are");
    kernel_difference total = c.total;
    total.a.emplace();
    total.b.emplace();
    row("total", total);
    for (const kernel_difference& k : c.kernels)
        if (k.a && k.b) text += details_of(k.key().text(), k, most);
    text += details_of("total", c.total, most);
    if (c.total.one_sided != 0)
        text +=
            fmt::format("({} printed figures are in one of the runs only)\n", c.total.one_sided);
    return text;
}

json comparison_json(const statistics_run& a, const statistics_run& b, const comparison& c) {
    const auto side = [](const statistics_run& r) {
        return json{{"file", r.file()},
                    {"presets", r.document()["provenance"].value("presets", json::array())},
                    {"kernels", r.kernels().size()},
                    {"cycles", r.cycles()},
                    {"ended", r.ended()}};
    };
    json document;
    document["schema"] = {{"name", "simtlm-difference"}, {"version", 1}};
    document["a"] = side(a);
    document["b"] = side(b);
    document["differ"] = c.differ();
    document["options"] = json::array();
    for (const option_difference& o : c.options)
        document["options"].push_back({{"name", o.name}, {"a", o.a}, {"b", o.b}});
    document["kernels"] = json::array();
    for (const kernel_difference& k : c.kernels) {
        const kernel_key& key = k.key();
        json one = {{"name", key.name},
                    {"list_number", key.list_number != 0 ? json(key.list_number) : json(nullptr)},
                    {"kernel_id", key.kernel_id},
                    {"in", k.a && k.b ? "both"
                           : k.a      ? "a"
                                      : "b"},
                    {"cycles_a", k.a ? json(k.cycles_a) : json(nullptr)},
                    {"cycles_b", k.b ? json(k.cycles_b) : json(nullptr)},
                    {"beyond", k.beyond()},
                    {"compared", k.compared}};
        one["differences"] = json_of(k);
        document["kernels"].push_back(std::move(one));
    }
    document["total"] = {{"beyond", c.total.beyond()},
                         {"compared", c.total.compared},
                         {"one_sided", c.total.one_sided},
                         {"differences", json_of(c.total)}};
    return document;
}

}  // namespace simtlm::platform::study
