// Defects of the system that flows are modelled on, each shown not to be here: the conditions. The
// table is in tests/seed-tests.md.
#include "unit/flow/bundles.hpp"

namespace belay::flow::test {
namespace {

class OriginConditions : public BundleWorld {
protected:
    std::string output(const std::string& text, Fields params) {
        const auto started = start(bundle_of(text), params_of(std::move(params)), "run");
        EXPECT_TRUE(started.ok()) << started.error().describe();
        world.run_until_idle();
        return info("run").outcome->output.bytes;
    }
};

TEST_F(OriginConditions, AnElementOfAListIsNotSilentlyAbsent) {
    const std::string text = R"(
belay: 1
name: f
params: {city: {type: string}, cities: {type: list, of: string}}
steps:
  - {id: is_in, if: params.city in params.cities, set: 1}
  - {id: is_one_of_two, if: "params.city in ['Ulm', 'Bonn']", set: 2}
  - {id: is_elsewhere, if: "params.city in ['Rome']", set: 3}
)";
    Fields params;
    params.emplace_back("city", expr::Value("Ulm"));
    params.emplace_back("cities", expr::Value(expr::List{expr::Value("Ulm")}));
    EXPECT_EQ(output(text, std::move(params)), R"({"is_in":1,"is_one_of_two":2})");
}

TEST_F(OriginConditions, TheNegationOfInIsNotSilentlyFalse) {
    const std::string text = R"flow(
belay: 1
name: f
params: {city: {type: string}}
steps:
  - {id: is_absent, if: "!(params.city in ['Rome'])", set: 1}
  - {id: is_there, if: "!(params.city in ['Ulm'])", set: 2}
)flow";
    Fields params;
    params.emplace_back("city", expr::Value("Ulm"));
    EXPECT_EQ(output(text, std::move(params)), R"({"is_absent":1})");
}

TEST_F(OriginConditions, ABareParamIsNotRefused) {
    const std::string text = R"(
belay: 1
name: f
params: {premium: {type: boolean}, trial: {type: boolean}}
if: params.premium
steps:
  - {id: gift, if: params.premium, set: 1}
  - {id: limit, if: params.trial, set: 2}
)";
    Fields params;
    params.emplace_back("premium", expr::Value(true));
    params.emplace_back("trial", expr::Value(false));
    EXPECT_EQ(output(text, std::move(params)), R"({"gift":1})");
}

}  // namespace
}  // namespace belay::flow::test
