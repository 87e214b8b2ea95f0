// The schema and the reader: both know the same fields.
#include "flow/definition/schema.hpp"

#include "flow/definition/draft.hpp"
#include "json/value.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace belay::flow {
namespace {

using FieldNames = std::set<std::string>;

const json::Value* member(const json::Value& object, const std::string& name) {
    for (std::size_t i = 0; i < object.names.size(); ++i) {
        if (object.names[i] == name) return &object.items[i];
    }
    return nullptr;
}

/// The objects of the schema, under the names that the reader has for them.
const std::map<std::string, std::string> kObjects = {
    {"param", "a param"}, {"secret", "a secret"}, {"schedule", "a schedule"}, {"step", "a step"}};

/// Finds every object that has properties and no others.
void collect(const std::string& name,
             const json::Value& value,
             std::map<std::string, FieldNames>& out) {
    if (const json::Value* const properties = member(value, "properties")) {
        const auto known = kObjects.find(name);
        out[known == kObjects.end() ? name : known->second] =
            FieldNames(properties->names.begin(), properties->names.end());
    }
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        const bool has_name = value.kind == json::Kind::object;
        collect(has_name ? value.names[i] : name, value.items[i], out);
    }
}

json::Value schema() {
    auto parsed = json::parse(flow_schema());
    EXPECT_TRUE(parsed);
    return parsed ? *std::move(parsed) : json::Value();
}

TEST(FlowSchema, HasTheFieldsOfTheReader) {
    std::map<std::string, FieldNames> of_schema;
    collect("the definition", schema(), of_schema);
    std::map<std::string, FieldNames> of_reader;
    for (const ObjectFields& object : all_fields()) {
        of_reader[std::string(object.object)] =
            FieldNames(object.fields.begin(), object.fields.end());
    }
    EXPECT_EQ(of_schema, of_reader);
    EXPECT_GE(of_reader.size(), 12U);
}

/// Reports properties without a description, for the reference that is made from the schema.
void expect_descriptions(const json::Value& root, const json::Value& value) {
    if (const json::Value* const properties = member(value, "properties")) {
        for (std::size_t i = 0; i < properties->items.size(); ++i) {
            const json::Value* property = &properties->items[i];
            const json::Value* const reference = member(*property, "$ref");
            if (reference != nullptr && member(*property, "description") == nullptr) {
                const std::string name = reference->text.substr(reference->text.rfind('/') + 1);
                property = member(*member(root, "$defs"), name);
                ASSERT_NE(property, nullptr) << name;
            }
            EXPECT_NE(member(*property, "description"), nullptr) << properties->names[i];
        }
    }
    for (const json::Value& item : value.items) expect_descriptions(root, item);
}

TEST(FlowSchema, EveryFieldHasADescription) {
    const json::Value root = schema();
    expect_descriptions(root, root);
}

TEST(FlowSchema, NamesAllKindsOfSteps) {
    const json::Value root = schema();
    const json::Value& step = *member(*member(root, "$defs"), "step");
    FieldNames kinds;
    for (const json::Value& one : member(step, "oneOf")->items) {
        kinds.insert(member(one, "required")->items.at(0).text);
    }
    EXPECT_EQ(kinds, FieldNames(kStepKinds.begin(), kStepKinds.end()));
}

}  // namespace
}  // namespace belay::flow
